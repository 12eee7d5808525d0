/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "engine/plan/plan.h"

/* Makes the plan of a filter for a small picture, and filters that on the CPU; or checks the words
 * in which the filter is refused. */
void fuzz_check_filter(const CcFilter *filter);

/* The same with the filter that an element's properties ask for, where there is one. */
void fuzz_check_filter_of(GstElement *element);
