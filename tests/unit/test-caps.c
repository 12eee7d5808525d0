/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which frames GStreamer's CUDA memory holds, by version. The expected values come from the sources
 * of libgstcuda; the test `memory-transfers` checks the installed version. */

#include "plugin/memory/cudamemory.h"

typedef struct {
  const gchar *format;
  gboolean even, odd;
} Held;

static void
check(guint version, const Held *held, guint n) {
  for (guint i = 0; i < n; i++) {
    g_test_message("%s in %u", held[i].format, version);
    for (gint height = 1; height <= 1081; height += 540) {
      g_assert_cmpint(cc_cuda_memory_holds(held[i].format, 2 * height, version), ==, held[i].even);
      g_assert_cmpint(cc_cuda_memory_holds(held[i].format, 2 * height - 1, version), ==,
                      held[i].odd);
    }
  }
}

static void
test_1_22(void) {
  static const guint versions[] = {12200, 12212};
  static const Held held[] = {
      {"I420", TRUE, FALSE},     {"YV12", TRUE, FALSE},       {"I420_10LE", TRUE, FALSE},
      {"NV21", TRUE, FALSE},     {"I420_12LE", FALSE, FALSE}, {"NV12", TRUE, TRUE},
      {"P010_10LE", TRUE, TRUE}, {"Y42B", TRUE, TRUE},        {"I422_10LE", TRUE, TRUE},
      {"P012_LE", FALSE, FALSE}, {"YUY2", FALSE, FALSE},      {"GRAY8", FALSE, FALSE},
      {"ARGB64", FALSE, FALSE},  {"RGBA", TRUE, TRUE},        {"v210", FALSE, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(versions); i++)
    check(versions[i], held, G_N_ELEMENTS(held));
}

static void
test_1_24_before_4(void) {
  static const guint versions[] = {12400, 12403};
  static const Held held[] = {
      {"I420", FALSE, FALSE},      {"YV12", FALSE, FALSE},   {"I420_10LE", FALSE, FALSE},
      {"I420_12LE", FALSE, FALSE}, {"NV21", TRUE, FALSE},    {"NV12", TRUE, TRUE},
      {"Y42B", TRUE, TRUE},        {"P012_LE", TRUE, TRUE},  {"YUY2", TRUE, TRUE},
      {"GRAY8", FALSE, FALSE},     {"ARGB64", FALSE, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(versions); i++)
    check(versions[i], held, G_N_ELEMENTS(held));
}

static void
test_1_24_4_and_later(void) {
  static const guint versions[] = {12404, 12412, 12602, 12611, 12806, 20000};
  static const Held held[] = {
      {"I420", TRUE, TRUE},      {"YV12", TRUE, TRUE},     {"I420_10LE", TRUE, TRUE},
      {"I420_12LE", TRUE, TRUE}, {"NV21", TRUE, FALSE},    {"NV12", TRUE, TRUE},
      {"Y42B", TRUE, TRUE},      {"P012_LE", TRUE, TRUE},  {"YUY2", TRUE, TRUE},
      {"GRAY8", FALSE, FALSE},   {"ARGB64", FALSE, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(versions); i++)
    check(versions[i], held, G_N_ELEMENTS(held));
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/caps/in-cuda/1.22", test_1_22);
  g_test_add_func("/caps/in-cuda/1.24-before-4", test_1_24_before_4);
  g_test_add_func("/caps/in-cuda/1.24.4", test_1_24_4_and_later);
  return g_test_run();
}
