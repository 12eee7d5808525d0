/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>
#include "engine/options.h"

/* Makes the plan of a filter for small frames and runs it on the CPU, or checks the message of the
 * refusal. */
void fuzz_check_filter(const CcFilter *filter);

/* Does the same for the filter and the regions of options, if they define a filter. */
void fuzz_check_options(const CcOptions *options);

/* Does the same for the properties of an element. */
void fuzz_check_options_of(GstElement *element);
