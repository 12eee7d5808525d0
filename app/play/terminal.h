/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keys from the terminal that the program was started in. */

#include <glib.h>

G_BEGIN_DECLS

/* Gets a key by the name that it has in X: "k", "K", "Left", "space". */
typedef void (*TerminalKey)(const gchar *key, gpointer user_data);

/* Takes the keys one by one, without an echo, until terminal_close. Nothing happens when standard
 * input is no terminal, or the program is in its background. */
void terminal_open(TerminalKey take, gpointer user_data);

/* The terminal is as it was before. */
void terminal_close(void);

G_END_DECLS
