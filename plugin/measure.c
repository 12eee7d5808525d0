/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "measure.h"

#include "memory/bufferframe.h"

/* The meta has no tags, and is copied as it is. So it passes elements that change the pixels, and
 * encoders. */
void
gst_cuda_conv_register_measure_meta(void) {
  static const gchar *tags[] = {NULL};
  if (!gst_meta_get_info(GST_CUDA_CONV_MEASURE))
    gst_meta_register_custom(GST_CUDA_CONV_MEASURE, tags, NULL, NULL, NULL);
}

void
gst_cuda_conv_restart_measuring(GstCudaConv *self) {
  self->measuring.message_time = GST_CLOCK_TIME_NONE;
}

/* --- figures --- */

static gdouble
share(guint64 part, guint64 whole) {
  return whole ? (gdouble)part / (gdouble)whole : 0;
}

/* The differences to the whole part of the mean are small, so doubles hold their squares. All
 * integers are exact. */
static gdouble
find_variance(const CcMeasured *m) {
  const guint64 whole = m->n ? m->sum / m->n : 0;
  const guint64 rest = m->sum - whole * m->n; /* sum of the differences */
  const guint64 squares = m->squares - whole * (m->sum + rest);
  return share(squares, m->n) - share(rest, m->n) * share(rest, m->n);
}

/* The mean of the squares of what the code values are above or below black, so that the mean square
 * of a gradient does not depend on the range. Unsigned integers wrap around twice, to the exact
 * sum. */
static gdouble
find_mean_square(const CcMeasured *m, guint64 black) {
  return share(m->squares - 2 * black * m->sum + m->n * black * black, m->n);
}

static void
append_uint64(GValue *array, guint64 number) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_UINT64);
  g_value_set_uint64(&value, number);
  gst_value_array_append_and_take_value(array, &value);
}

static void
set_figures(GstStructure *structure, const CcMeasure *measure, const CcMeasured *m) {
  const gboolean has_threshold = measure->limits.above != G_MAXUINT32;
  gst_structure_set(structure, "samples", G_TYPE_UINT64, m->n, "sum", G_TYPE_UINT64, m->sum,
                    "sum-of-squares", G_TYPE_UINT64, m->squares, "largest", G_TYPE_UINT,
                    (guint)m->largest, "above-threshold", G_TYPE_UINT64, m->n_above, "at-black",
                    G_TYPE_UINT64, m->n_black, "at-white", G_TYPE_UINT64, m->n_white, "mean",
                    G_TYPE_DOUBLE, share(m->sum, m->n), "variance", G_TYPE_DOUBLE, find_variance(m),
                    "mean-square", G_TYPE_DOUBLE, find_mean_square(m, measure->limits.black),
                    "edge-density", G_TYPE_DOUBLE,
                    share(has_threshold ? m->n_above : m->n - m->n_black, m->n), NULL);
  if (!measure->has_histogram)
    return;
  GValue bins = G_VALUE_INIT;
  gst_value_array_init(&bins, CC_MEASURE_BINS);
  for (guint i = 0; i < CC_MEASURE_BINS; i++)
    append_uint64(&bins, m->bin[i]);
  gst_structure_take_value(structure, "histogram", &bins);
}

/* The results of region `i`. The memory of the results ends before the bins if there are none. */
static const CcMeasured *
get_results(const CcSessionFrame *frame, const CcPlan *plan, guint i) {
  const gsize at = i * plan->result_bytes + cc_plan_get_measure(plan)->result_at;
  return (const CcMeasured *)((const guint8 *)frame->results + at);
}

/* Describes the region by its place in the output frame. */
static GstStructure *
describe_region(const CcRegion *region, const CcPlan *plan, const CcMeasure *measure, GQuark type) {
  const CcPlaneLayout *plane = &plan->out_frame_layout.plane[measure->group.plane];
  const guint width = (region->source.width + plan->stride - 1) / plan->stride;
  const guint height = (region->source.height + plan->stride - 1) / plan->stride;
  GstStructure *structure = gst_structure_new(
      "region", "x", G_TYPE_INT, (gint)region->target_x, "y", G_TYPE_INT, (gint)region->target_y,
      "width", G_TYPE_INT, (gint)MIN(width, plane->width - region->target_x), "height", G_TYPE_INT,
      (gint)MIN(height, plane->height - region->target_y), NULL);
  if (type)
    gst_structure_set(structure, "type", G_TYPE_STRING, g_quark_to_string(type), NULL);
  return structure;
}

/* The figures of all regions, and their sums in `total`. */
static void
list_regions(const CcSessionFrame *frame, const CcPlan *plan, const CcMeasure *measure,
             const GArray *types, CcMeasured *total, GValue *list) {
  gst_value_array_init(list, frame->n_regions);
  for (guint i = 0; i < frame->n_regions; i++) {
    const CcMeasured *results = get_results(frame, plan, i);
    const GQuark type = types ? g_array_index(types, GQuark, i) : 0;
    GstStructure *structure = describe_region(&frame->regions[i], plan, measure, type);
    set_figures(structure, measure, results);
    cc_measured_add(total, results, measure->has_histogram);
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(&value, structure);
    gst_value_array_append_and_take_value(list, &value);
  }
}

GstStructure *
gst_cuda_conv_get_figures(const CcSessionFrame *frame) {
  const GArray *types;
  const CcPlan *plan = cc_buffer_frame_get_plan(frame, &types);
  const CcStage *stage = plan ? cc_plan_get_measure(plan) : NULL;
  if (!stage)
    return NULL;
  const CcMeasure *measure = stage->data;
  CcMeasured total = {0};
  GValue regions = G_VALUE_INIT;
  if (frame->regions)
    list_regions(frame, plan, measure, types, &total, &regions);
  else
    cc_measured_add(&total, get_results(frame, plan, 0), measure->has_histogram);
  const guint depth = measure->frame.plane[measure->group.plane].depth;
  GstStructure *figures = gst_structure_new(GST_CUDA_CONV_MEASURE, "depth", G_TYPE_INT, (gint)depth,
                                            "black", G_TYPE_UINT, measure->limits.black, "white",
                                            G_TYPE_UINT, measure->limits.white, NULL);
  set_figures(figures, measure, &total);
  if (frame->regions)
    gst_structure_take_value(figures, "regions", &regions);
  return figures;
}

/* --- reports --- */

static void
copy_fields(GstStructure *to, const GstStructure *from) {
  for (gint i = 0; i < gst_structure_n_fields(from); i++) {
    const gchar *name = gst_structure_nth_field_name(from, (guint)i);
    gst_structure_set_value(to, name, gst_structure_get_value(from, name));
  }
}

/* Copies of many histograms are slow. */
static gboolean
move_field(GQuark name, GValue *value, gpointer to) {
  GValue moved = *value;
  *value = (GValue)G_VALUE_INIT;
  gst_structure_id_take_value(to, name, &moved);
  return FALSE; /* removes the field */
}

/* A time that goes back is that of another segment. */
static gboolean
message_is_due(GstCudaConv *self, GstClockTime time) {
  const GstClockTime last = self->measuring.message_time;
  const gdouble interval = cc_settings_get_device(&self->settings).measure_interval;
  return !GST_CLOCK_TIME_IS_VALID(time) || !GST_CLOCK_TIME_IS_VALID(last) || time < last ||
         time - last >= (GstClockTime)(interval * GST_SECOND + 0.5);
}

static void
post_figures(GstCudaConv *self, GstBuffer *out, const GstStructure *figures) {
  const GstSegment *segment = &GST_BASE_TRANSFORM(self)->segment;
  const GstClockTime time = GST_BUFFER_PTS(out);
  const gboolean timed = segment->format == GST_FORMAT_TIME;
  const GstClockTime running =
      timed ? gst_segment_to_running_time(segment, GST_FORMAT_TIME, time) : GST_CLOCK_TIME_NONE;
  const GstClockTime stream =
      timed ? gst_segment_to_stream_time(segment, GST_FORMAT_TIME, time) : GST_CLOCK_TIME_NONE;
  if (!message_is_due(self, running))
    return;
  self->measuring.message_time = running;
  GstStructure *structure =
      gst_structure_new(GST_CUDA_CONV_MEASURE, "timestamp", G_TYPE_UINT64, time, "stream-time",
                        G_TYPE_UINT64, stream, "running-time", G_TYPE_UINT64, running, "duration",
                        G_TYPE_UINT64, GST_BUFFER_DURATION(out), NULL);
  copy_fields(structure, figures);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), structure));
}

void
gst_cuda_conv_report_figures(GstCudaConv *self, GstBuffer *out, GstStructure *figures) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(out, GST_CUDA_CONV_MEASURE);
  if (!meta)
    meta = gst_buffer_add_custom_meta(out, GST_CUDA_CONV_MEASURE);
  GstStructure *structure = gst_custom_meta_get_structure(meta);
  gst_structure_remove_all_fields(structure);
  post_figures(self, out, figures);
  gst_structure_filter_and_map_in_place(figures, move_field, structure);
}
