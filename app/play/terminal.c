/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "terminal.h"

#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define BACKGROUND_MS 500 /* interval between two checks that the process is in the foreground */

static struct {
  struct termios before;
  guint source; /* 0: not open */
  TerminalKey take;
  gpointer user_data;
} terminal;

/* The bytes that keys send, and the names of the keys. */
static const struct {
  const gchar *sent, *name;
} keys[] = {
    {"\x1b[A", "Up"}, {"\x1b[B", "Down"}, {"\x1b[C", "Right"}, {"\x1b[D", "Left"},
    {"\x1bOA", "Up"}, {"\x1bOB", "Down"}, {"\x1bOC", "Right"}, {"\x1bOD", "Left"},
    {" ", "space"},   {"+", "plus"},      {"-", "minus"},      {"?", "question"},
};

/* Returns the length of an unknown escape sequence: ESC [, parameters and a final byte; ESC O and
 * one byte; or ESC and one byte. */
static gsize
skip_key(const gchar *text) {
  const gsize numbers = text[1] == '[' ? strspn(text + 2, "0123456789;:<=>? ") : 0;
  const gsize bytes = text[1] == '[' || text[1] == 'O' ? 3 + numbers : 2;
  return MIN(bytes, strlen(text));
}

/* Handles the first key of `text`. Returns its number of bytes. */
static gsize
take_key(const gchar *text) {
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (g_str_has_prefix(text, keys[i].sent)) {
      terminal.take(keys[i].name, terminal.user_data);
      return strlen(keys[i].sent);
    }
  }
  if (*text == '\x1b') {
    if (text[1] == '\0')
      terminal.take("Escape", terminal.user_data);
    return skip_key(text);
  }
  const gchar name[] = {*text, '\0'};
  if (g_ascii_isalnum(*text))
    terminal.take(name, terminal.user_data);
  return 1;
}

/* A shell can move the process to the background of its terminal. */
static gboolean
is_in_foreground(void) {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static gboolean start_listening(gpointer user_data);

static gboolean
on_input(gint fd, GIOCondition condition, gpointer user_data) {
  gchar text[64];
  if (!is_in_foreground()) { /* a read would stop the process */
    terminal.source = g_timeout_add(BACKGROUND_MS, start_listening, NULL);
    return G_SOURCE_REMOVE;
  }
  const gssize length = read(fd, text, sizeof text - 1);
  if (length <= 0) {
    terminal.source = 0;
    return G_SOURCE_REMOVE;
  }
  text[length] = '\0';
  for (gsize at = 0; at < strlen(text);)
    at += take_key(text + at);
  return G_SOURCE_CONTINUE;
}

static gboolean
start_listening(gpointer user_data) {
  terminal.source = g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_input, NULL);
  return G_SOURCE_REMOVE;
}

static void
restore(void) {
  if (terminal.take && is_in_foreground()) /* in the background the terminal belongs to the shell */
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

void
terminal_open(TerminalKey take, gpointer user_data) {
  if (!isatty(STDIN_FILENO) || !is_in_foreground() ||
      tcgetattr(STDIN_FILENO, &terminal.before) != 0)
    return;
  struct termios single = terminal.before;
  single.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  if (tcsetattr(STDIN_FILENO, TCSANOW, &single) != 0)
    return;
  atexit(restore); /* Xlib ends the process if it loses the connection to its server */
  terminal.take = take;
  terminal.user_data = user_data;
  start_listening(NULL);
}

void
terminal_close(void) {
  if (!terminal.take)
    return;
  if (terminal.source)
    g_source_remove(terminal.source);
  restore();
  memset(&terminal, 0, sizeof terminal);
}
