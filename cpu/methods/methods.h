/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The ways to sum. Each sets what it makes rows of a tile with: the function, its kernels, and the
 * rows that it has in the scratch memory. */

#include "sweep.h"

G_BEGIN_DECLS

/* For samples of `type`; those of sums of terms are set with their weights. */
void cc_terms_prepare(CcSweep *sweep);
void cc_window_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type);
void cc_lines_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type);
void cc_columns_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type);
void cc_means_prepare(CcSweep *sweep, const CcRows *rows, CcSampleType type);

G_END_DECLS
