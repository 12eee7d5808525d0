/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "engine/plan/plan.h"

/* Makes the plan of a filter for small frames and runs it on the CPU, or checks the message of the
 * refusal. */
void fuzz_check_filter(const CcFilter *filter);

/* Does the same for the filter of an element's properties, if they define one. */
void fuzz_check_filter_of(GstElement *element);
