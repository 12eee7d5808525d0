/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/compare/run.h"

G_BEGIN_DECLS

/* Prints the time of a few common filters on every target. With `filter`, only filters with this
 * text in "kernel size format". */
void bench_targets(const Target *targets, guint n_targets, const gchar *filter);

G_END_DECLS
