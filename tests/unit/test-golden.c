/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The named kernels on a test image, compared with the checksums in golden.txt, which the oracle
 * made. --print prints new checksums of the oracle, for an intended change of results. The
 * environment variable GOLDEN_TXT names the file. */

#include "tests/ref/formats.h"
#include "tests/ref/testimage.h"
#include "tests/unit/filtered.h"

#include <string.h>

#define WIDTH 320
#define HEIGHT 180

static const gchar *const formats[] = {"GRAY8", "RGB",       "NV12",     "AYUV",
                                       "YUY2",  "P010_10LE", "GRAY16_LE"};

/* One line of golden.txt. */
typedef struct {
  gchar *kernel, *format, *checksum;
  guint size;
} Golden;

static CcFrameLayout
golden_layout(const gchar *format) {
  return test_format_layout(test_format_find(format), WIDTH, HEIGHT, TRUE);
}

static gchar *
oracle_checksum(const CcFilter *filter, const gchar *format, GuardedFrame **src) {
  const CcFrameLayout layout = golden_layout(format);
  g_autoptr(GuardedFrame) dst = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  *src = guarded_frame_new(&layout, PLACEMENT_ALIGNED);
  test_image_draw(&layout, &(*src)->frame);
  oracle_filter(filter, NULL, &layout, &(*src)->frame, &dst->frame, NULL);
  return test_image_checksum(&layout, &dst->frame);
}

static gchar *
backend_checksum(const CcFilter *filter, const GuardedFrame *src) {
  g_autoptr(GuardedFrame) dst = filtered_frame_new(filter, NULL, 2, src);
  return test_image_checksum(&src->layout, &dst->frame);
}

static void
test_golden(gconstpointer data) {
  const Golden *golden = data;
  const CcFilter filter = {.kernel = cc_kernels_find(golden->kernel), .size = golden->size};
  g_assert_nonnull(filter.kernel);
  g_autoptr(GuardedFrame) src = NULL;
  g_autofree gchar *by_oracle = oracle_checksum(&filter, golden->format, &src);
  g_assert_cmpstr(by_oracle, ==, golden->checksum);
  g_autofree gchar *by_backend = backend_checksum(&filter, src);
  g_assert_cmpstr(by_backend, ==, golden->checksum);
}

static void
print_goldens(void) {
  const GPtrArray *kernels = cc_kernels_builtin();
  for (guint i = 0; i < kernels->len; i++) {
    CcKernel *kernel = g_ptr_array_index(kernels, i);
    for (guint f = 0; f < G_N_ELEMENTS(formats); f++) {
      const CcFilter filter = {.kernel = kernel, .size = kernel->default_size};
      g_autoptr(GuardedFrame) src = NULL;
      g_autofree gchar *checksum = oracle_checksum(&filter, formats[f], &src);
      g_print("%s %u %s %s\n", kernel->name, kernel->default_size, formats[f], checksum);
    }
  }
}

static void
golden_free(gpointer data) {
  Golden *golden = data;
  g_free(golden->kernel);
  g_free(golden->format);
  g_free(golden->checksum);
  g_free(golden);
}

static GPtrArray *
read_goldens(void) {
  GPtrArray *goldens = g_ptr_array_new_with_free_func(golden_free);
  g_autofree gchar *text = NULL;
  g_autoptr(GError) error = NULL;
  const gchar *path = g_getenv("GOLDEN_TXT");
  g_assert_nonnull(path);
  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  g_auto(GStrv) lines = g_strsplit(g_strstrip(text), "\n", -1);
  for (gchar **line = lines; *line; line++) {
    g_auto(GStrv) words = g_strsplit(*line, " ", -1);
    g_assert_cmpuint(g_strv_length(words), ==, 4);
    Golden *golden = g_new0(Golden, 1);
    golden->kernel = g_strdup(words[0]);
    golden->size = (guint)g_ascii_strtoull(words[1], NULL, 10);
    golden->format = g_strdup(words[2]);
    golden->checksum = g_strdup(words[3]);
    g_ptr_array_add(goldens, golden);
  }
  return goldens;
}

/* Every named kernel has checksums. */
static void
test_complete(gconstpointer data) {
  const GPtrArray *goldens = data, *kernels = cc_kernels_builtin();
  for (guint i = 0; i < kernels->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(kernels, i);
    guint found = 0;
    for (guint g = 0; g < goldens->len; g++) {
      const Golden *golden = g_ptr_array_index(goldens, g);
      found += strcmp(golden->kernel, kernel->name) == 0;
    }
    g_assert_cmpuint(found, ==, G_N_ELEMENTS(formats));
  }
}

int
main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--print") == 0) {
    print_goldens();
    return 0;
  }
  g_test_init(&argc, &argv, NULL);
  g_autoptr(GPtrArray) goldens = read_goldens();
  g_test_add_data_func("/golden/complete", goldens, test_complete);
  for (guint i = 0; i < goldens->len; i++) {
    const Golden *golden = g_ptr_array_index(goldens, i);
    g_autofree gchar *path = g_strdup_printf("/golden/%s/%s", golden->kernel, golden->format);
    g_test_add_data_func(path, golden, test_golden);
  }
  return g_test_run();
}
