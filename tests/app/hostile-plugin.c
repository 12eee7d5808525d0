/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file with the name of a plugin that harms whoever loads it: HARM() is done at once. */

#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void
harm(void) {
  HARM();
}
