/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A shared library with the name of a plugin. It calls HARM() when it is loaded. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints much, and leaves a child process that holds the standard output open. */
static inline void
prints(void) {
  static char text[1 << 20];
  memset(text, '[', sizeof text);
  for (int i = 0; i < 32; i++)
    if (write(STDOUT_FILENO, text, sizeof text) < 0)
      return;
  if (fork() == 0) {
    sleep(3);
    _exit(0);
  }
}

__attribute__((constructor)) static void
harm(void) {
  HARM();
}
