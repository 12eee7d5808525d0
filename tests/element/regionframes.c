/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "regionframes.h"

#include "engine/options.h"
#include "layout.h"
#include "tests/ref/oracle.h"
#include "tests/ref/oracle_compose.h"

void
test_rois_add(TestRois *rois, guint x, guint y, guint width, guint height) {
  rois->roi[rois->n++] = (CcRoi){.source = {x, y, width, height}};
}

void
test_rois_set(GstElement *element, const TestRois *rois) {
  g_autoptr(GString) roi = g_string_new("<"), target = g_string_new("<");
  for (guint i = 0; i < rois->n; i++) {
    const CcRoi *r = &rois->roi[i];
    const gchar *comma = i > 0 ? "," : "";
    g_string_append_printf(roi, "%s<%u,%u,%u,%u>", comma, r->source.x, r->source.y, r->source.width,
                           r->source.height);
    if (r->target_set)
      g_string_append_printf(target, "%s<%u,%u>", comma, r->target_x, r->target_y);
  }
  g_string_append_c(roi, '>');
  g_string_append_c(target, '>');
  g_object_freeze_notify(G_OBJECT(element));
  gst_util_set_object_arg(G_OBJECT(element), "roi", roi->str);
  gst_util_set_object_arg(G_OBJECT(element), "target", target->str);
  g_object_thaw_notify(G_OBJECT(element));
}

void
test_rois_attach(GstBuffer *buffer, const TestRois *rois, const gchar *type) {
  for (guint i = 0; i < rois->n; i++) {
    const CcRect *r = &rois->roi[i].source;
    gst_buffer_add_video_region_of_interest_meta(buffer, type, r->x, r->y, r->width, r->height);
  }
}

TestRois
test_rois_of_frame(guint frame) {
  TestRois rois = {0};
  test_rois_add(&rois, frame * 5 % 40, frame * 3 % 28, 24, 20);
  test_rois_add(&rois, 40 - frame * 7 % 40, frame * 11 % 30, 12 + frame % 2 * 3, 9);
  if (frame % 4 != 2)
    test_rois_add(&rois, frame % 3, 20 + frame, 7, 5);
  return rois;
}

CcFilter
test_filter_parse(const gchar *properties) {
  g_auto(CcOptions) options = {0};
  g_autoptr(GError) error = NULL;
  CcFilter filter = {0};
  cc_options_init(&options);
  fail_unless(cc_options_set_text(&options, properties, &error), "%s", properties);
  cc_options_get_filter(&options, &filter);
  cc_kernel_unref(filter.kernel);
  return filter;
}

/* oracle_compose changes the filtered region, which oracle_filter makes without compose. */
void
test_filter_rois(const CcFilter *filter, const TestRois *rois, const gchar *caps, GstBuffer *input,
                 GstBuffer *output) {
  g_autofree gchar *out_caps = test_caps_divided(caps, MAX(filter->stride, 1));
  const CcFilter plain = oracle_without_compose(filter);
  TestFrame from, to;
  test_map(&from, caps, input, GST_MAP_READ);
  test_map(&to, out_caps, output, GST_MAP_READWRITE);
  for (guint i = 0; i < rois->n; i++) {
    oracle_filter(&plain, &rois->roi[i], &from.layout, &from.planes, &to.planes, NULL);
    if (oracle_composes(filter))
      oracle_compose(filter, &rois->roi[i], &from.layout, &from.planes, &to.planes);
  }
  test_unmap(&to);
  test_unmap(&from);
}

static GstBuffer *
make_outside(const CcFilter *filter, const gchar *caps, GstBuffer *input) {
  g_autofree gchar *out_caps = test_caps_divided(caps, MAX(filter->stride, 1));
  GstBuffer *output = test_frame_flat(out_caps, 0);
  TestFrame from, to;
  test_map(&from, caps, input, GST_MAP_READ);
  test_map(&to, out_caps, output, GST_MAP_WRITE);
  oracle_outside(filter, &from.layout, &from.planes, &to.planes);
  test_unmap(&to);
  test_unmap(&from);
  return output;
}

GstBuffer *
test_frame_regular(const gchar *caps, guint32 seed) {
  const CcFilter copy = {0};
  const CcFrameLayout layout = test_layout(caps);
  g_autoptr(GstBuffer) random = test_frame_random(caps, seed);
  return layout.plane[0].has_macropixels ? make_outside(&copy, caps, random)
                                         : g_steal_pointer(&random);
}

GstBuffer *
test_expect_rois(const CcFilter *filter, const TestRois *rois, const gchar *caps,
                 GstBuffer *input) {
  const gboolean same = filter->outside == CC_OUTSIDE_COPY && filter->stride == 1;
  GstBuffer *output = same ? gst_buffer_copy_deep(input) : make_outside(filter, caps, input);
  test_filter_rois(filter, rois, caps, input, output);
  return output;
}
