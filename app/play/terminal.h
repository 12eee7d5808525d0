/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keys from the terminal in which the program was started. */

#include <glib.h>

G_BEGIN_DECLS

/* Handles a key. `key` is its X name: "k", "K", "Left", "space". */
typedef void (*TerminalKey)(const gchar *key, gpointer user_data);

/* Turns off the echo and passes each key to `take`, until terminal_close. Does nothing if standard
 * input is not a terminal, or the program is in the background. */
void terminal_open(TerminalKey take, gpointer user_data);

/* Restores the modes of the terminal. */
void terminal_close(void);

G_END_DECLS
