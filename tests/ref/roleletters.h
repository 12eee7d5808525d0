/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A letter for each role, for tables of formats. */

#include "engine/frame.h"

#define W CC_ROLE_GREY
#define R CC_ROLE_RED
#define G CC_ROLE_GREEN
#define B CC_ROLE_BLUE
#define Y CC_ROLE_LUMA
#define U CC_ROLE_CB
#define V CC_ROLE_CR
#define A CC_ROLE_ALPHA
#define X CC_ROLE_PADDING
