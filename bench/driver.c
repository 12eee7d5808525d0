/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "driver.h"

const gchar *
bench_driver_version(const CcCudaDriver *cuda) {
  static gchar text[32];
  int version = 0; /* 13000 is CUDA 13.0 */
  cuda->cuDriverGetVersion(&version);
  g_snprintf(text, sizeof text, "%d.%d", version / 1000, version % 1000 / 10);
  return text;
}
