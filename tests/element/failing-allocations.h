/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Allocations that fail. A program that links this file replaces the C library's aligned_alloc,
 * which the CPU backend uses for the scratch memory of its threads. */

#include <glib.h>

/* Whether this aligned_alloc is in use. Under valgrind it is not: valgrind replaces it. */
gboolean test_allocations_works(void);

/* Lets the next n calls succeed and all later calls fail. G_MAXINT: no call fails. */
void test_allocations_allow(gint n);

/* Whether a call has failed since test_allocations_allow. */
gboolean test_allocations_has_failed(void);
