/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Memory that runs out. The program that links this has an aligned_alloc of its own in front of the
 * C library's, which the CPU backend takes the rows of its threads from. */

#include <glib.h>

/* Whether that function is in use: valgrind has its own instead. */
gboolean test_allocations_works(void);

/* Lets n calls succeed and all after them fail; G_MAXINT: none fails. */
void test_allocations_allow(gint n);

/* Whether a call has failed since then. */
gboolean test_allocations_has_failed(void);
