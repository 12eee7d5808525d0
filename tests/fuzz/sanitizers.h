/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Calls of AddressSanitizer and LeakSanitizer, which do nothing if the sanitizers are not built
 * in. */

#include <glib.h>

#if defined __SANITIZE_ADDRESS__ /* gcc */
#define FUZZ_HAS_SANITIZERS 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_SANITIZERS 1
#endif
#endif

#ifdef FUZZ_HAS_SANITIZERS
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#else
#define FUZZ_HAS_SANITIZERS 0
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif
