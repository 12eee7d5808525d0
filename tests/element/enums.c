/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "enums.h"

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

/* --- properties with numbers or enum values --- */

#define WHOLE(name, group, field, n, ...)                                                          \
  {                                                                                                \
    name, group, offsetof(CcFilter, field), FALSE, n, {                                            \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
#define REAL(name, group, field, n, ...)                                                           \
  {                                                                                                \
    name, group, offsetof(CcFilter, field), TRUE, n, {                                             \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

const TestKnob test_knobs[] = {
    WHOLE("size", TEST_KERNELS, size, 7, 0, 0, 1, 3, 5, 7, 9),
    {"chroma-kernel",
     TEST_KERNELS,
     offsetof(CcFilter, chroma_kernel),
     FALSE,
     6,
     {0, 0, 0, 1, 8, 14}},
    WHOLE("chroma-size", TEST_KERNELS, chroma_size, 6, 0, 0, 0, 1, 3, 7),
    REAL("sigma", TEST_KERNELS, sigma, 5, 0, 0, 0.5, 0.8, 1.4),
    /* without canny, which refuses most kernels */
    WHOLE("response", TEST_KERNELS, response, 7, 0, 1, 2, 3, 4, 5, 6),
    REAL("low", TEST_LOOKS, low, 4, 100, 100, 0, 30.5),
    REAL("high", TEST_LOOKS, high, 4, 200, 200, 0, 1e6),
    /* without scatter (5), whose sums are not exact */
    WHOLE("algorithm", TEST_KERNELS, algorithm, 8, 0, 1, 2, 3, 4, 6, 7, 8),
    REAL("scale", TEST_LOOKS, scale, 6, 0, 0, 0.25, 0.5, 2, -0.5),
    REAL("bias", TEST_LOOKS, bias, 8, 0, 1, 2.5, 7, -11, 30, 64.5, -40),
    WHOLE("border", TEST_LOOKS, border, 5, 0, 1, 2, 3, 4),
    REAL("border-value", TEST_LOOKS, border_value, 4, 0, 0.25, 0.5, 1),
    WHOLE("chroma", TEST_LOOKS, chroma, 4, 0, 1, 2, 3),
    WHOLE("color", TEST_LOOKS, color, 3, 0, 1, 2),
    /* without weighted, which refuses most kernels */
    WHOLE("alpha", TEST_LOOKS, alpha, 3, 0, 1, 2),
    REAL("threshold", TEST_LOOKS, threshold, 6, 0, 0, 0, 0, 0.25, 0.5),
    WHOLE("invert", TEST_LOOKS, invert, 2, 0, 1),
    REAL("mix", TEST_LOOKS, mix, 6, 1, 1, 1, 0.5, -2, 8),
    WHOLE("overlay", TEST_LOOKS, overlay, 4, 0, 0, 0, 0x70ff8000),
    WHOLE("measure", TEST_LOOKS, measure, 6, 0, 0, 0, 0, 1, 2),
    WHOLE("stride", TEST_LOOKS, stride, 4, 1, 1, 2, 4),
    WHOLE("fields", TEST_LOOKS, fields, 2, 0, 1),
    WHOLE("outside", TEST_LOOKS, outside, 2, 0, 1),
    /* 0 only: other values refuse most values of scale, bias, response and stride */
    REAL("roi-sigma", TEST_LOOKS, roi_sigma, 1, 0),
};

const guint test_n_knobs = G_N_ELEMENTS(test_knobs);

gdouble
test_knob_get(const TestKnob *knob, const CcFilter *filter) {
  gconstpointer field = (const gchar *)filter + knob->offset;
  guint kernel;
  if (knob->offset == offsetof(CcFilter, chroma_kernel))
    return g_ptr_array_find((GPtrArray *)cc_kernels_builtin(), filter->chroma_kernel, &kernel)
               ? kernel + 1
               : 0;
  return knob->real ? *(const gdouble *)field : *(const gint *)field;
}

void
test_knob_put(const TestKnob *knob, CcFilter *filter, gdouble value) {
  gpointer field = (gchar *)filter + knob->offset;
  if (knob->offset == offsetof(CcFilter, chroma_kernel))
    filter->chroma_kernel =
        value > 0 ? g_ptr_array_index(cc_kernels_builtin(), (guint)value - 1) : NULL;
  else if (knob->real)
    *(gdouble *)field = value;
  else
    *(gint *)field = (gint)value;
}

/* --- kernels --- */

TestKernel test_kernels[64];
guint test_n_kernels, test_n_named_kernels;

static void
add_kernel(CcKernel *kernel, gint choice, const gchar *first, const gchar *first_text,
           const gchar *second, const gchar *second_text) {
  test_kernels[test_n_kernels++] =
      (TestKernel){{{first, first_text}, {second, second_text}}, kernel, choice};
}

static void
add_custom(const gchar *file) {
  static const gdouble blur[] = {1, 2, 1, 2, 4, 2, 1, 2, 1}, row[] = {1, 4, 6, 4, 1};
  static const gdouble column[] = {-1, 0, 1}, flat[] = {1, 2, 1}, ramp[] = {1, -2, 3, 0.5, 0.1};
  g_autoptr(GError) error = NULL;
  add_kernel(cc_kernel_new_matrix(blur, 9, 3, NULL), 0, "matrix", "<1,2,1,2,4,2,1,2,1>", NULL,
             NULL);
  add_kernel(cc_kernel_new_matrix(flat, 3, 3, NULL), 0, "matrix", "< <1,2,1> >", NULL, NULL);
  add_kernel(cc_kernel_new_matrix(ramp, 5, 1, NULL), 0, "matrix", "< <1>,<-2>,<3>,<0.5>,<1/10> >",
             NULL, NULL);
  add_kernel(cc_kernel_new_matrix(flat, 3, 1, NULL), 0, "matrix-text", "1; 2; 1", NULL, NULL);
  add_kernel(cc_kernel_new_separable(row, 5, column, 3, NULL), 0, "row", "<1,4,6,4,1>", "column",
             "<-1,0,1>");
  add_kernel(cc_kernel_new_separable(flat, 3, row, 5, NULL), 0, "column", "<1,4,6,4,1>", "row",
             "<(string)1,(string)2,(string)1>");
  add_kernel(cc_kernel_load(file, &error), 0, "kernel-file", file, NULL, NULL);
  fail_unless(error == NULL, "%s", error ? error->message : "");
}

void
test_kernels_list(const gchar *file) {
  const GPtrArray *builtin = cc_kernels_builtin();
  test_n_kernels = 0;
  for (guint i = 0; i < builtin->len; i++) {
    CcKernel *kernel = g_ptr_array_index(builtin, i);
    add_kernel(kernel, (gint)i + 1, "kernel", kernel->name, NULL, NULL);
  }
  test_n_named_kernels = test_n_kernels;
  add_custom(file);
}

void
test_kernels_clear(void) {
  for (guint i = test_n_named_kernels; i < test_n_kernels; i++)
    cc_kernel_unref(test_kernels[i].kernel);
  test_n_kernels = 0;
}

/* --- regions --- */

#define REGIONS(roi, target, by_meta, type)                                                        \
  .set = {{"roi", roi}, {"target", target}, {"roi-meta", by_meta}, {"roi-type", type}}

/* The regions fit frames of 160x90 with each stride. The last one is cut off in small frames. */
const TestRegions test_regions[] = {
    {REGIONS("", "", "false", ""), .whole = TRUE},
    {REGIONS("", "", "false", "face"), .whole = TRUE},
    {REGIONS("<8,4,100,50>", "", "false", ""), .n = 1, .roi = {{.source = {8, 4, 100, 50}}}},
    {REGIONS("<<0,0,33,17>,<20,10,60,40>,<150,80,500,500>>", "", "false", "face"), .n = 3,
     .roi = {{.source = {0, 0, 33, 17}},
             {.source = {20, 10, 60, 40}},
             {.source = {150, 80, 500, 500}}}},
    {REGIONS("<<3,2,3,2>,<50,30,41,21>>", "<<30,15>,<0,5>>", "false", ""), .n = 2,
     .roi = {{{3, 2, 3, 2}, TRUE, 30, 15}, {{50, 30, 41, 21}, TRUE, 0, 5}}},
    {REGIONS("<8,4,100,50>", "<<1,2>,<3,4>>", "true", ""), /* these are ignored */
     .n = 3,
     .roi = {{.source = {20, 10, 40, 30}},
             {.source = {30, 25, 50, 20}},
             {.source = {100, 60, 500, 500}}}},
    {REGIONS("", "", "true", "face"), .n = 2,
     .roi = {{.source = {20, 10, 40, 30}}, {.source = {100, 60, 500, 500}}}},
    {REGIONS("", "", "true", "nothing"), .n = 0},
};

const guint test_n_regions = G_N_ELEMENTS(test_regions);

void
test_metas_add(GstBuffer *buffer) {
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 20, 10, 40, 30);
  gst_buffer_add_video_region_of_interest_meta(buffer, "car", 30, 25, 50, 20);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 100, 60, 500, 500);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 5000, 0, 9, 9); /* outside */
}

static gboolean
is_chosen(const gchar *name) {
  gboolean chosen = FALSE;
  for (guint i = 0; i < test_n_knobs; i++)
    chosen |= g_str_equal(test_knobs[i].name, name);
  for (guint i = 0; i < test_n_kernels; i++)
    chosen |= g_strcmp0(test_kernels[i].set[0][0], name) == 0;
  for (guint i = 0; i < G_N_ELEMENTS(test_regions[0].set); i++)
    chosen |= g_str_equal(test_regions[0].set[i][0], name);
  return chosen;
}

void
test_assert_all_chosen(GstElement *element) {
  g_auto(GStrv) names = gst_preset_get_property_names(GST_PRESET(element));
  for (guint i = 0; names[i]; i++)
    fail_unless(is_chosen(names[i]), "no values of %s", names[i]);
}

/* --- setting of values --- */

void
test_assign(TestAssignments *all, const gchar *name, const gchar *text) {
  all->name[all->n] = name;
  all->text[all->n++] = g_strdup(text);
}

void
test_assign_knob(TestAssignments *all, const TestKnob *knob, const CcFilter *filter) {
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  test_assign(all, knob->name, g_ascii_dtostr(text, sizeof text, test_knob_get(knob, filter)));
}

void
test_assign_regions(TestAssignments *all, const TestRegions *regions) {
  for (guint i = 0; i < G_N_ELEMENTS(regions->set); i++) {
    const gchar *text = regions->set[i][1];
    const gboolean is_array = i < 2; /* the text of an empty array is not empty */
    test_assign(all, regions->set[i][0], is_array && !*text ? "<>" : text);
  }
}

void
test_assignments_clear(TestAssignments *all) {
  for (guint i = 0; i < all->n; i++)
    g_free(all->text[i]);
  all->n = 0;
}

void
test_set_values(GObject *object, const TestAssignments *all) {
  GValue values[TEST_MAX_ASSIGNMENTS] = {0};
  for (guint i = 0; i < all->n; i++) {
    GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), all->name[i]);
    g_value_init(&values[i], spec->value_type);
    fail_unless(gst_value_deserialize_with_pspec(&values[i], all->text[i], spec), "%s=%s",
                all->name[i], all->text[i]);
  }
  g_object_setv(object, all->n, (const gchar **)all->name, values);
  for (guint i = 0; i < all->n; i++)
    g_value_unset(&values[i]);
}

void
test_set_texts(GObject *object, const TestAssignments *all) {
  g_object_freeze_notify(object);
  for (guint i = 0; i < all->n; i++) {
    gst_util_set_object_arg(object, all->name[i], all->text[i]);
    g_usleep(300);
  }
  g_object_thaw_notify(object);
}
