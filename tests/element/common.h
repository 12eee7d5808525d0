/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Helpers for all tests of the element. The tests see cudaconv only from outside: its element
 * factory, its properties and its pads. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* The backend under test: the value of CUDACONV_TEST_BACKEND, or "auto" if unset. */
const gchar *test_backend(void);

/* Whether the test runs under valgrind or a sanitizer. Such a run is slow and keeps freed
 * memory. */
gboolean test_is_instrumented(void);

/* Whether CUDACONV_TEST_COMPLETE is set, as in `make test-all`: nothing is left out then. */
gboolean test_is_complete(void);

/* The number of repetitions or of seconds: `complete` if test_is_complete(), else `quick`, or a
 * fifth of `quick` under valgrind or a sanitizer. */
guint test_count(guint quick, guint complete);

/* A cudaconv element with the backend under test. `properties` are written as on a launch line
 * ("kernel=sobel size=5"). The caller owns the only reference. */
GstElement *test_element_new(const gchar *properties);

/* Sets properties from words NAME=VALUE, as one change. */
void test_set(GstElement *element, const gchar *settings);

/* A property's value as GstValue serializes it: 0.5 and "0.5" give the same text. Free with
 * g_free. */
gchar *test_property_text(GstElement *element, const gchar *name);

void test_assert_text(GstElement *element, const gchar *name, const gchar *wanted);

/* The text of all properties that affect pixels, which are the properties of presets. */
gchar *test_pixel_properties(GstElement *element);

/* Caps with 30 frames a second. test_caps_with appends more fields ("colorimetry=1:4:0:0"). */
gchar *test_caps(const gchar *format, gint width, gint height);
gchar *test_caps_with(const gchar *format, gint width, gint height, const gchar *fields);

/* `caps` with width and height divided by `stride` and rounded up. */
gchar *test_caps_divided(const gchar *caps, guint stride);

/* A harness around test_element_new(properties), in PLAYING. `caps` are set on the harness's source
 * pad and may be NULL. The harness is not live, so a GPU may keep frames in flight. */
GstHarness *test_harness_new(const gchar *properties, const gchar *caps);

/* test_harness_new for an element of test_element_new. The harness takes its own reference. */
GstHarness *test_harness_around(GstElement *element, const gchar *caps);

/* Frees a harness of test_harness_new or test_harness_around. */
void test_teardown(GstHarness *h);

/* The bus of the harness's element, without a new reference. */
GstBus *test_harness_bus(GstHarness *h);

/* Takes all messages off the bus and returns the texts of those of `types`, one a line: an error or
 * warning with its debug details, other messages as their structure. `count` may be NULL. */
gchar *test_bus_take(GstBus *bus, GstMessageType types, guint *count);

/* Sets the pipeline to PLAYING and waits for EOS, for `seconds` at most. The pipeline stays in
 * PLAYING. */
void test_play_to_eos(GstElement *pipeline, guint seconds);

/* A serialized event without a meaning. It makes the element push all frames in flight. */
GstEvent *test_serialized_event(void);

/* Pushes EOS, so that the element pushes all frames in flight. Nothing can be pushed after that. */
void test_drain(GstHarness *h);

/* Pushes the buffer (taken) and a serialized event, so that no frame stays in flight. Returns the
 * one frame that comes out. */
GstBuffer *test_push_pull(GstHarness *h, GstBuffer *buffer);

/* The result of one buffer (taken) in a new element with these properties. */
GstBuffer *test_filter(const gchar *properties, const gchar *caps, GstBuffer *buffer);

/* A frame of random samples in the default layout of the caps. Equal seeds give equal frames. Every
 * third seed gives only the minimum and maximum sample values. */
GstBuffer *test_frame_random(const gchar *caps, guint32 seed);

/* A frame with all bytes equal. */
GstBuffer *test_frame_flat(const gchar *caps, guint8 value);

/* Fails unless both buffers hold the same samples. Padding between rows is ignored. `caps` describe
 * both buffers; GstVideoMeta overrides their layout. `what` is part of the failure message. */
void test_assert_same_frame(const gchar *caps, GstBuffer *a, GstBuffer *b, const gchar *what);

/* Whether both buffers hold the same samples. */
gboolean test_same_frame(const gchar *caps, GstBuffer *a, GstBuffer *b);

/* Runs a suite. If CUDACONV_TEST_BACKEND is cuda and fewer than `n_devices` devices open, the suite
 * is skipped (exit status 77), or fails if CUDACONV_TEST_REQUIRED is set. */
int test_main(int *argc, char ***argv, Suite *(*suite)(void), const gchar *name, guint n_devices);

#define TEST_MAIN_ON_DEVICES(name, n_devices)                                                      \
  int main(int argc, char **argv) {                                                                \
    return test_main(&argc, &argv, name##_suite, #name, n_devices);                                \
  }

#define TEST_MAIN(name) TEST_MAIN_ON_DEVICES(name, 1)
