/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cases that failed once and that random cases seldom include. */

#include "tests/compare/cases.h"

G_BEGIN_DECLS

guint regressions_count(void);

/* Returns case `index`. Its kernel lives as long as the process. */
Case regressions_get(guint index);

G_END_DECLS
