/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A live viewer with GTK 3: video before and after the filter, with a line between them that the
 * mouse drags. The kernel, the response and some numbers change while the video plays. Below the
 * video a curve shows how sharp it is, from the messages `cudaconv-measure` of the element.
 *
 *     cudaconv-viewer
 *     cudaconv-viewer "v4l2src device=/dev/video2 ! decodebin" "response=canny low=50 high=100"
 *     cudaconv-viewer "filesrc location=in.mp4 ! decodebin" "kernel=gaussian sigma=2"
 *
 * SUMMARY explains the two arguments. To compile it alone:
 *
 *     cc viewer.c -o cudaconv-viewer \
 *       $(pkg-config --cflags --libs gtk+-3.0 gstreamer-video-1.0 gstreamer-app-1.0)
 */

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtk/gtk.h>
#include <string.h>

#define CAMERA "/dev/video0"
#define TEST_PATTERN "videotestsrc is-live=true pattern=zone-plate kx2=12 ky2=12 kt=2"
/* Cairo draws BGRx. The filter gets the source's own format, because only the result for the screen
 * needs BGRx. The first branch holds frames until the second one has filtered them. */
#define PIPELINE                                                                                   \
  "%s ! videoconvert ! tee name=t "                                                                \
  "t. ! queue ! videoconvert ! video/x-raw,format=BGRx ! appsink name=before max-buffers=16 "      \
  "drop=true "                                                                                     \
  "t. ! queue ! cudaconv name=filter measure=sums %s ! videoconvert ! video/x-raw,format=BGRx ! "  \
  "appsink name=after max-buffers=1 drop=true"
/* At this scale no gradient of an 8-bit frame clips at white. */
#define PROPERTIES "kernel=sobel scale=0.2"
#define USAGE "[SOURCE [PROPERTIES]]"
#define SUMMARY                                                                                    \
  "Shows video before and after the filter. The mouse drags the line between them.\n\n"            \
  "SOURCE is the beginning of a gst-launch line. The default is the first camera, or a test\n"     \
  "pattern without a camera. PROPERTIES are those of the element cudaconv. The default "           \
  "is\n" PROPERTIES "."
#define CURVE_POINTS 300 /* half a minute, with a message each 0.1 s */

typedef struct {
  GstElement *pipeline, *filter;
  GstAppSink *before_sink, *after_sink;
  GstSample *before, *after; /* the frames on the screen, or NULL */
  GtkWidget *video, *curve, *figure, *note;
  GtkWidget *choosers[2]; /* of kernel and response */
  gdouble share;          /* position of the line, as a share of the width of the video */
  gdouble points[CURVE_POINTS];
  guint n_points; /* of all messages; the last CURVE_POINTS are kept */
  gboolean failed;
} Viewer;

/* The numbers with a slider. Values of PROPERTIES can be larger than `max`, such as thresholds for
 * sobel of 7x7. With scale=0 the kernel's own scale is used. */
static const struct {
  const gchar *property;
  gdouble max, step;
} numbers[] = {
    {"low", 1000, 5},       {"high", 1000, 5},  {"sigma", 10, 0.1},
    {"threshold", 1, 0.01}, {"scale", 2, 0.05},
};

/* The value of an enum as text. */
static const gchar *
value_of(const Viewer *self, const gchar *property) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property);
  gint value;
  g_object_get(self->filter, property, &value, NULL);
  return g_enum_get_value(G_PARAM_SPEC_ENUM(spec)->enum_class, value)->value_nick;
}

/* ---- frames ---- */

static gboolean
take_sample(GstAppSink *sink, GstSample **sample) {
  GstSample *next = gst_app_sink_try_pull_sample(sink, 0);
  if (!next)
    return FALSE;
  g_clear_pointer(sample, gst_sample_unref);
  *sample = next;
  return TRUE;
}

/* Takes the newest result and the source's frame of the same time, or the next one if that frame
 * was dropped. Runs before each refresh of the screen, in the thread of GTK. */
static gboolean
on_tick(GtkWidget *video, GdkFrameClock *clock, gpointer user_data) {
  Viewer *self = user_data;
  if (!take_sample(self->after_sink, &self->after))
    return G_SOURCE_CONTINUE;
  const GstClockTime time = GST_BUFFER_PTS(gst_sample_get_buffer(self->after));
  while (!self->before || GST_BUFFER_PTS(gst_sample_get_buffer(self->before)) < time)
    if (!take_sample(self->before_sink, &self->before))
      break;
  gtk_widget_queue_draw(video);
  return G_SOURCE_CONTINUE;
}

/* Where the frame is on the screen: all of it is visible, in the middle of the widget. */
static gboolean
place_frame(GtkWidget *widget, GstSample *sample, GdkRectangle *place) {
  GstVideoInfo info;
  if (!sample || !gst_video_info_from_caps(&info, gst_sample_get_caps(sample)))
    return FALSE;
  const gint width = gtk_widget_get_allocated_width(widget);
  const gint height = gtk_widget_get_allocated_height(widget);
  const gdouble scale = MIN((gdouble)width / info.width, (gdouble)height / info.height);
  place->width = (gint)(scale * info.width);
  place->height = (gint)(scale * info.height);
  place->x = (width - place->width) / 2;
  place->y = (height - place->height) / 2;
  return TRUE;
}

/* Draws the columns of a frame from the shares `from` to `to` of its width. */
static void
draw_frame(GtkWidget *widget, cairo_t *cr, GstSample *sample, gdouble from, gdouble to) {
  GdkRectangle place;
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!place_frame(widget, sample, &place) ||
      !gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
    return;
  cairo_surface_t *surface = cairo_image_surface_create_for_data(
      GST_VIDEO_FRAME_PLANE_DATA(&frame, 0), CAIRO_FORMAT_RGB24, info.width, info.height,
      GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0));
  cairo_save(cr);
  cairo_rectangle(cr, place.x + from * place.width, place.y, (to - from) * place.width,
                  place.height);
  cairo_clip(cr);
  cairo_translate(cr, place.x, place.y);
  cairo_scale(cr, (gdouble)place.width / info.width, (gdouble)place.height / info.height);
  cairo_set_source_surface(cr, surface, 0, 0);
  cairo_paint(cr);
  cairo_restore(cr);
  cairo_surface_destroy(surface);
  gst_video_frame_unmap(&frame);
}

static gboolean
on_draw_video(GtkWidget *widget, cairo_t *cr, gpointer user_data) {
  const Viewer *self = user_data;
  GdkRectangle place;
  cairo_set_source_rgb(cr, 0, 0, 0);
  cairo_paint(cr);
  draw_frame(widget, cr, self->before, 0, self->share);
  draw_frame(widget, cr, self->after, self->share, 1);
  if (!place_frame(widget, self->after, &place))
    return TRUE;
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_rectangle(cr, place.x + self->share * place.width - 1, place.y, 2, place.height);
  cairo_fill(cr);
  return TRUE;
}

static void
move_line(Viewer *self, gdouble x) {
  GdkRectangle place;
  if (!place_frame(self->video, self->after, &place))
    return;
  self->share = CLAMP((x - place.x) / place.width, 0, 1);
  gtk_widget_queue_draw(self->video);
}

static gboolean
on_button(GtkWidget *widget, GdkEventButton *event, gpointer user_data) {
  move_line(user_data, event->x);
  return TRUE;
}

static gboolean
on_motion(GtkWidget *widget, GdkEventMotion *event, gpointer user_data) {
  if (event->state & GDK_BUTTON1_MASK)
    move_line(user_data, event->x);
  return TRUE;
}

/* ---- the figure ---- */

/* Draws the last figures from left to right, as shares of the largest of them. */
static gboolean
on_draw_curve(GtkWidget *widget, cairo_t *cr, gpointer user_data) {
  const Viewer *self = user_data;
  const gdouble width = gtk_widget_get_allocated_width(widget);
  const gdouble height = gtk_widget_get_allocated_height(widget);
  const guint n = MIN(self->n_points, CURVE_POINTS), first = self->n_points - n;
  gdouble largest = 0;
  for (guint i = 0; i < n; i++)
    largest = MAX(largest, self->points[i]);
  cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
  cairo_paint(cr);
  for (guint i = 0; i < n; i++) {
    const gdouble value = self->points[(first + i) % CURVE_POINTS];
    cairo_line_to(cr, width * i / (CURVE_POINTS - 1),
                  height - 3 - (largest > 0 ? (height - 6) * value / largest : 0));
  }
  cairo_set_source_rgb(cr, 0.2, 0.8, 0.4);
  cairo_set_line_width(cr, 2);
  cairo_stroke(cr);
  return TRUE;
}

/* Canny's edges are black or white, so their figure is the share of white. Otherwise it is the mean
 * of the squares, which is large if there are strong edges. */
static void
take_figure(Viewer *self, const GstStructure *measured) {
  const gboolean is_canny = g_str_has_prefix(value_of(self, "response"), "canny");
  const gchar *name = is_canny ? "share of the pixels that are edges" : "mean square of the result";
  gdouble value = 0;
  gst_structure_get_double(measured, is_canny ? "edge-density" : "mean-square", &value);
  self->points[self->n_points++ % CURVE_POINTS] = value;
  g_autofree gchar *text = g_strdup_printf("%s: %.4g", name, value);
  gtk_label_set_text(GTK_LABEL(self->figure), text);
  gtk_widget_queue_draw(self->curve);
}

/* ---- messages ---- */

/* The element has refused a value, and has set the property back to the value in use. */
static void
show_refusal(Viewer *self, const gchar *why) {
  for (guint i = 0; i < G_N_ELEMENTS(self->choosers); i++)
    gtk_combo_box_set_active_id(GTK_COMBO_BOX(self->choosers[i]),
                                value_of(self, gtk_widget_get_name(self->choosers[i])));
  gtk_label_set_text(GTK_LABEL(self->note), why);
}

static gboolean
on_message(GstBus *bus, GstMessage *message, gpointer user_data) {
  Viewer *self = user_data;
  g_autoptr(GError) error = NULL;
  g_autofree gchar *debug = NULL;
  switch (GST_MESSAGE_TYPE(message)) {
  case GST_MESSAGE_ELEMENT:
    if (gst_message_has_name(message, "cudaconv-measure"))
      take_figure(self, gst_message_get_structure(message));
    break;
  case GST_MESSAGE_WARNING:
    gst_message_parse_warning(message, &error, NULL);
    show_refusal(self, error->message);
    break;
  case GST_MESSAGE_ERROR:
    gst_message_parse_error(message, &error, &debug);
    g_printerr("%s: %s\n%s\n", GST_MESSAGE_SRC_NAME(message), error->message, debug ? debug : "");
    self->failed = TRUE;
    gtk_main_quit();
    break;
  case GST_MESSAGE_EOS:
    gtk_label_set_text(GTK_LABEL(self->note), "The video has ended.");
    break;
  default:
    break;
  }
  return G_SOURCE_CONTINUE;
}

/* ---- widgets ---- */

static void
on_choice(GtkComboBox *box, gpointer user_data) {
  Viewer *self = user_data;
  gtk_label_set_text(GTK_LABEL(self->note), "");
  gst_util_set_object_arg(G_OBJECT(self->filter), gtk_widget_get_name(GTK_WIDGET(box)),
                          gtk_combo_box_get_active_id(box));
  self->n_points = 0; /* figures of two filters are not comparable */
}

static void
on_number(GtkRange *range, gpointer user_data) {
  Viewer *self = user_data;
  gtk_label_set_text(GTK_LABEL(self->note), "");
  g_object_set(self->filter, gtk_widget_get_name(GTK_WIDGET(range)), gtk_range_get_value(range),
               NULL);
}

/* A list of the values of an enum. */
static GtkWidget *
chooser_new(Viewer *self, const gchar *property) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property);
  const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
  GtkWidget *box = gtk_combo_box_text_new();
  for (guint i = 0; i < values->n_values; i++) {
    const gchar *nick = values->values[i].value_nick;
    if (strcmp(nick, "custom") != 0) /* needs a matrix */
      gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(box), nick, nick);
  }
  gtk_combo_box_set_active_id(GTK_COMBO_BOX(box), value_of(self, property));
  gtk_widget_set_name(box, property);
  g_signal_connect(box, "changed", G_CALLBACK(on_choice), self);
  return box;
}

static GtkWidget *
slider_new(Viewer *self, const gchar *property, gdouble max, gdouble step) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(self->filter), property);
  gdouble value;
  g_object_get(self->filter, property, &value, NULL);
  const gdouble end = MIN(MAX(max, 2 * value), G_PARAM_SPEC_DOUBLE(spec)->maximum);
  GtkWidget *slider = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, end, step);
  gtk_range_set_value(GTK_RANGE(slider), value);
  gtk_scale_set_value_pos(GTK_SCALE(slider), GTK_POS_RIGHT);
  gtk_widget_set_name(slider, property);
  g_signal_connect(slider, "value-changed", G_CALLBACK(on_number), self);
  return slider;
}

/* Adds a widget and its name to a grid of two columns. */
static void
add_control(GtkWidget *grid, gint number, const gchar *name, GtkWidget *widget) {
  GtkWidget *label = gtk_label_new(name);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_widget_set_hexpand(widget, TRUE);
  gtk_grid_attach(GTK_GRID(grid), label, number % 2 * 2, number / 2, 1, 1);
  gtk_grid_attach(GTK_GRID(grid), widget, number % 2 * 2 + 1, number / 2, 1, 1);
}

static GtkWidget *
controls_new(Viewer *self) {
  static const gchar *const choices[] = {"kernel", "response"};
  GtkWidget *grid = gtk_grid_new();
  gint n = 0;
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 6);
  gtk_container_set_border_width(GTK_CONTAINER(grid), 12);
  for (guint i = 0; i < G_N_ELEMENTS(choices); i++) {
    self->choosers[i] = chooser_new(self, choices[i]);
    add_control(grid, n++, choices[i], self->choosers[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    add_control(grid, n++, numbers[i].property,
                slider_new(self, numbers[i].property, numbers[i].max, numbers[i].step));
  return grid;
}

/* The widgets stay, because a message may still arrive for them. */
static gboolean
on_close(GtkWidget *window, GdkEvent *event, gpointer unused) {
  gtk_main_quit();
  return TRUE;
}

static void
build_window(Viewer *self) {
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  self->video = gtk_drawing_area_new();
  self->curve = gtk_drawing_area_new();
  self->figure = gtk_label_new("");
  self->note = gtk_label_new("");
  gtk_label_set_line_wrap(GTK_LABEL(self->note), TRUE);
  gtk_window_set_title(GTK_WINDOW(window), "cudaconv viewer");
  gtk_window_set_default_size(GTK_WINDOW(window), 800, 760);
  gtk_widget_set_size_request(self->curve, -1, 80);
  gtk_widget_add_events(self->video, GDK_BUTTON_PRESS_MASK | GDK_BUTTON1_MOTION_MASK);
  gtk_widget_add_tick_callback(self->video, on_tick, self, NULL);
  g_signal_connect(self->video, "draw", G_CALLBACK(on_draw_video), self);
  g_signal_connect(self->video, "button-press-event", G_CALLBACK(on_button), self);
  g_signal_connect(self->video, "motion-notify-event", G_CALLBACK(on_motion), self);
  g_signal_connect(self->curve, "draw", G_CALLBACK(on_draw_curve), self);
  g_signal_connect(window, "delete-event", G_CALLBACK(on_close), NULL);

  GtkWidget *all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  gtk_box_pack_start(GTK_BOX(all), self->video, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(all), self->curve, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(all), self->figure, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(all), controls_new(self), FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(all), self->note, FALSE, FALSE, 0);
  gtk_container_add(GTK_CONTAINER(window), all);
  gtk_widget_show_all(window);
}

/* ---- running ---- */

static gboolean
build_pipeline(Viewer *self, const gchar *source, const gchar *properties, GError **error) {
  g_autofree gchar *line = g_strdup_printf(PIPELINE, source, properties);
  self->pipeline = gst_parse_launch_full(line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!self->pipeline)
    return FALSE;
  self->filter = gst_bin_get_by_name(GST_BIN(self->pipeline), "filter");
  self->before_sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(self->pipeline), "before"));
  self->after_sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(self->pipeline), "after"));
  return TRUE;
}

static void
clear(Viewer *self) {
  g_clear_pointer(&self->before, gst_sample_unref);
  g_clear_pointer(&self->after, gst_sample_unref);
  gst_object_unref(self->filter);
  gst_object_unref(self->before_sink);
  gst_object_unref(self->after_sink);
  gst_object_unref(self->pipeline);
}

static int
refuse(const gchar *why) {
  g_printerr("%s\nUsage: cudaconv-viewer " USAGE ", see --help\n", why);
  return 1;
}

int
main(int argc, char **argv) {
  Viewer self = {.share = 0.5};
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new(USAGE);
  g_option_context_set_summary(context, SUMMARY);
  g_option_context_add_group(context, gtk_get_option_group(TRUE)); /* also initializes GTK */
  g_option_context_add_group(context, gst_init_get_option_group());
  if (!g_option_context_parse(context, &argc, &argv, &error))
    return refuse(error->message);
  if (argc > 3)
    return refuse("too many arguments");
  const gboolean has_camera = g_file_test(CAMERA, G_FILE_TEST_EXISTS);
  const gchar *source = argc > 1     ? argv[1]
                        : has_camera ? "v4l2src device=" CAMERA " ! decodebin"
                                     : TEST_PATTERN;
  if (!build_pipeline(&self, source, argc > 2 ? argv[2] : PROPERTIES, &error))
    return refuse(error->message);
  build_window(&self);
  g_autoptr(GstBus) bus = gst_element_get_bus(self.pipeline);
  gst_bus_add_watch(bus, on_message, &self);
  gst_element_set_state(self.pipeline, GST_STATE_PLAYING); /* a failure also posts a message */
  gtk_main();
  gst_element_set_state(self.pipeline, GST_STATE_NULL);
  gst_bus_remove_watch(bus);
  clear(&self);
  return self.failed ? 1 : 0;
}
