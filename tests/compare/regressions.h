/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Cases that went wrong once, and that chance seldom meets. */

#include "tests/compare/cases.h"

G_BEGIN_DECLS

guint regressions_count(void);

/* Case `index`, whose kernel lives as long as the process. */
Case regressions_get(guint index);

G_END_DECLS
