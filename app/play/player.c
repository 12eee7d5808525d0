/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "player.h"
#include "app/convert/elements.h"

#include <gst/base/gstbasesrc.h>
#include <gst/video/navigation.h>
#include <gst/video/video.h>
#include <string.h>

/* The queue lets the decoder run while a frame is filtered. */
#define BEFORE_FILTER                                                                              \
  "queue name=decoded max-size-buffers=2 max-size-bytes=0 max-size-time=0 "                        \
  "! videoconvert name=converted "

#define AFTER_FILTER "videoconvert name=filtered ! %s videoscale name=scaled "

#define TEXT                                                                                       \
  "textoverlay name=" PLAYER_TEXT " valignment=bottom halignment=left line-alignment=left "        \
  "shaded-background=true shading-value=150 xpad=8 ypad=8 silent=true font-desc=\"Monospace 10\" " \
  "! videoconvert ! "

#define STILL "still" /* name of the element imagefreeze; it exists only for images */

#define AUDIO_BRANCH "queue ! audioconvert ! audioresample ! autoaudiosink "

/* ---- keys and the mouse ---- */

/* Posts navigation events of the window as messages. At the filter their coordinates are those of
 * the filtered image. Drops the events, so that they do not reach the source. */
static GstPadProbeReturn
on_navigation(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) != GST_EVENT_NAVIGATION)
    return GST_PAD_PROBE_OK;
  g_autoptr(GstElement) element = gst_pad_get_parent_element(pad);
  gst_element_post_message(element, gst_navigation_message_new_event(GST_OBJECT(element), event));
  return GST_PAD_PROBE_DROP;
}

/* ---- the input's streams ---- */

static gboolean
is_live(GstPad *pad) {
  g_autoptr(GstQuery) query = gst_query_new_latency();
  gboolean live = FALSE;
  if (gst_pad_query(pad, query))
    gst_query_parse_latency(query, &live, NULL, NULL);
  return live;
}

/* If the filter is too slow for a live source, the queue drops frames, because they would be
 * late. */
static void
drop_late_frames(GstElement *source, GstElement *queue) {
  g_autoptr(GstElement) reader = NULL;
  g_object_get(source, "source", &reader, NULL);
  if (GST_IS_BASE_SRC(reader) && gst_base_src_is_live(GST_BASE_SRC(reader)))
    gst_util_set_object_arg(G_OBJECT(queue), "leaky", "downstream");
}

/* Returns whether the source reads an image sequence of one image. input.c reads an image like this
 * if its decoder needs the whole file in one buffer. */
static gboolean
reads_one_of_sequence(GstElement *source) {
  g_autoptr(GstElement) reader = NULL;
  gint first, last;
  g_object_get(source, "source", &reader, NULL);
  GstElementFactory *factory = reader ? gst_element_get_factory(reader) : NULL;
  if (!factory || strcmp(GST_OBJECT_NAME(factory), "imagesequencesrc") != 0)
    return FALSE;
  g_object_get(reader, "start-index", &first, "stop-index", &last, NULL);
  return first == last;
}

/* Returns whether the input is an image: it has no frame rate, is not live, and has no duration.
 * The frame rate alone is not enough, because caps of videos of variable frame rate have none. */
static gboolean
is_image(GstElement *source, GstPad *pad, const GstStructure *caps) {
  gint n, d;
  gint64 length;
  if (reads_one_of_sequence(source))
    return TRUE;
  return (!gst_structure_get_fraction(caps, "framerate", &n, &d) || n == 0) && !is_live(pad) &&
         !(gst_pad_query_duration(pad, GST_FORMAT_TIME, &length) && length > 0);
}

/* For an image, adds imagefreeze, which repeats the image, so that a change is visible at once. */
static gboolean
link_to_filter(GstBin *player, gboolean freeze) {
  g_autoptr(GstElement) converted = gst_bin_get_by_name(player, "converted");
  g_autoptr(GstElement) filter = gst_bin_get_by_name(player, "filter");
  if (!freeze)
    return gst_element_link(converted, filter);
  GstElement *still = gst_element_factory_make("imagefreeze", STILL);
  if (!still)
    return FALSE;
  elements_add(GST_ELEMENT(player), still);
  return gst_element_link_many(converted, still, filter, NULL);
}

static void
on_video(GstElement *source, GstPad *pad, gpointer user_data) {
  GstBin *player = user_data;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  if (!elements_is_frames(caps))
    return;
  g_autoptr(GstElement) decoded = gst_bin_get_by_name(player, "decoded");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(decoded, "sink");
  if (gst_pad_is_linked(sink)) /* only the first video stream of a file is used */
    return;
  if (!link_to_filter(player, is_image(source, pad, gst_caps_get_structure(caps, 0))))
    GST_ELEMENT_ERROR(player, CORE, MISSING_PLUGIN, ("imagefreeze is not installed"), (NULL));
  drop_late_frames(source, decoded);
  elements_keep_upright(GST_ELEMENT(player), pad);
  gst_pad_link(pad, sink);
}

/* Plays the first audio stream, or no audio if an element is missing. */
static void
on_audio(GstElement *source, GstPad *pad, gpointer user_data) {
  GstBin *player = user_data;
  g_autoptr(GstCaps) caps = gst_pad_get_current_caps(pad);
  g_autoptr(GstElement) first = gst_bin_get_by_name(player, "audio");
  if (first || !caps || !gst_structure_has_name(gst_caps_get_structure(caps, 0), "audio/x-raw"))
    return;
  GstElement *audio = gst_parse_bin_from_description(AUDIO_BRANCH, TRUE, NULL);
  if (!audio)
    return;
  gst_object_set_name(GST_OBJECT(audio), "audio");
  elements_add(GST_ELEMENT(player), audio);
  g_autoptr(GstPad) sink = gst_element_get_static_pad(audio, "sink");
  gst_pad_link(pad, sink);
}

static void
on_no_more_pads(GstElement *source, gpointer user_data) {
  g_autoptr(GstElement) decoded = gst_bin_get_by_name(user_data, "decoded");
  g_autoptr(GstPad) sink = gst_element_get_static_pad(decoded, "sink");
  if (!gst_pad_is_linked(sink))
    gst_element_post_message(
        source,
        gst_message_new_application(GST_OBJECT(source), gst_structure_new_empty(PLAYER_NO_VIDEO)));
}

/* ---- the pipeline ---- */

/* The source is linked when its streams are known. */
#define PIPELINE BEFORE_FILTER AFTER_FILTER

GstElement *
player_new(const PlayerSetup *setup, GError **error) {
  g_autoptr(GstElementFactory) text = gst_element_factory_find("textoverlay");
  g_autofree gchar *description = g_strdup_printf(PIPELINE, text ? TEXT : "");
  g_autoptr(GstElement) filter = gst_object_ref_sink(setup->filter);
  g_autoptr(GstElement) sink = gst_object_ref_sink(setup->sink);
  g_autoptr(GstElement) source = gst_object_ref_sink(setup->source);
  GstElement *player = gst_parse_launch_full(description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!player)
    return NULL;
  gst_bin_add_many(GST_BIN(player), source, filter, sink, NULL);
  g_autoptr(GstElement) filtered = gst_bin_get_by_name(GST_BIN(player), "filtered");
  g_autoptr(GstElement) scaled = gst_bin_get_by_name(GST_BIN(player), "scaled");
  if (!gst_element_link(filter, filtered) || !gst_element_link(scaled, sink)) {
    g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_PAD, "the sink does not accept video");
    gst_object_unref(player);
    return NULL;
  }
  g_signal_connect(source, "pad-added", G_CALLBACK(on_video), player);
  if (setup->audio)
    g_signal_connect(source, "pad-added", G_CALLBACK(on_audio), player);
  g_signal_connect(source, "no-more-pads", G_CALLBACK(on_no_more_pads), player);

  g_autoptr(GstPad) pad = gst_element_get_static_pad(filter, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, on_navigation, NULL, NULL);
  return player;
}

static gboolean
seek(GstElement *player, GstSeekFlags flags, gint64 position) {
  g_autoptr(GstQuery) query = gst_query_new_seeking(GST_FORMAT_TIME);
  gboolean seekable = FALSE;
  if (gst_element_query(player, query))
    gst_query_parse_seeking(query, NULL, &seekable, NULL, NULL);
  return seekable && gst_element_seek_simple(player, GST_FORMAT_TIME, flags, position);
}

gboolean
player_repeat_frame(GstElement *player) {
  gint64 position;
  return gst_element_query_position(player, GST_FORMAT_TIME, &position) &&
         seek(player, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, position);
}

gboolean
player_rewind(GstElement *player) {
  return seek(player, GST_SEEK_FLAG_FLUSH, 0);
}

gboolean
player_shows_image(GstElement *player) {
  g_autoptr(GstElement) still = gst_bin_get_by_name(GST_BIN(player), STILL);
  return still != NULL;
}

/* ---- sinks ---- */

/* Tries sinks that open a window. autovideosink is not used, because it could choose a full-screen
 * sink or a sink that shows nothing. */
GstElement *
player_find_window(GError **error) {
  static const struct {
    const gchar *name, *variable; /* required environment variable; NULL: none */
  } sinks[] = {{"glimagesink", NULL},
               {"xvimagesink", "DISPLAY"},
               {"ximagesink", "DISPLAY"},
               {"waylandsink", "WAYLAND_DISPLAY"}};
  if (!g_getenv("DISPLAY") && !g_getenv("WAYLAND_DISPLAY")) {
    g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
                "there is no display for a window: neither DISPLAY nor WAYLAND_DISPLAY is set; "
                "`cudaconv apply` writes a file instead");
    return NULL;
  }
  for (guint i = 0; i < G_N_ELEMENTS(sinks); i++) {
    if (sinks[i].variable && !g_getenv(sinks[i].variable))
      continue;
    GstElement *sink = gst_element_factory_make(sinks[i].name, NULL);
    if (!sink)
      continue;
    gst_object_ref_sink(sink);
    const gboolean opens = gst_element_set_state(sink, GST_STATE_READY) == GST_STATE_CHANGE_SUCCESS;
    gst_element_set_state(sink, GST_STATE_NULL);
    if (opens) {
      g_object_force_floating(G_OBJECT(sink));
      return sink;
    }
    gst_object_unref(sink);
  }
  g_set_error(
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
      "no window opens: the display cannot be reached, or no sink for it is installed (on Debian: "
      "gstreamer1.0-gl or gstreamer1.0-x); `cudaconv apply` writes a file instead");
  return NULL;
}
