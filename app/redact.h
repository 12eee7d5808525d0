/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts with names of files and URIs in them, before people see them. */

#include <glib.h>

G_BEGIN_DECLS

/* The text in one line, without what could steer a terminal, and with *** in place of the passwords
 * of URIs; free it. */
gchar *redact_text(const gchar *text);

G_END_DECLS
