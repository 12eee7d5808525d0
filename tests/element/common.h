/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What all tests of the element share. They see cudaconv from outside only: as an element factory,
 * its properties and its pads. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

/* The backend under test: the environment's CUDACONV_TEST_BACKEND, else "auto". */
const gchar *test_backend(void);

/* Whether valgrind or a sanitizer runs the test: it is slow then, and freed memory is kept. */
gboolean test_is_instrumented(void);

/* Whether this is a run of `make test-all`, which leaves nothing out: CUDACONV_TEST_COMPLETE. */
gboolean test_is_complete(void);

/* How often to repeat, or for how many seconds: `complete` in such a run, else `quick`, of which a
 * fifth is enough under a tool as above. */
guint test_count(guint quick, guint complete);

/* A cudaconv with the backend under test and with properties as on a launch line ("kernel=sobel
 * size=5"). The caller owns the one reference. */
GstElement *test_element_new(const gchar *properties);

/* A property's value as GstValue writes it, so that "0.5" and 0.5 are the same; to be freed. */
gchar *test_property_text(GstElement *element, const gchar *name);

void test_assert_text(GstElement *element, const gchar *name, const gchar *wanted);

/* All properties that decide pixels, which are those of presets, as text. */
gchar *test_pixel_properties(GstElement *element);

/* Caps of 30 frames a second; the second form takes further fields ("colorimetry=1:4:0:0"). */
gchar *test_caps(const gchar *format, gint width, gint height);
gchar *test_caps_with(const gchar *format, gint width, gint height, const gchar *fields);

/* The same caps with width and height divided by `stride` and rounded up. */
gchar *test_caps_divided(const gchar *caps, guint stride);

/* A harness around such an element, playing, with these caps (may be NULL) set on its source pad.
 * It is not live, so that a GPU may hold frames back. */
GstHarness *test_harness_new(const gchar *properties, const gchar *caps);

/* The same around an element of test_element_new, with a reference of its own. */
GstHarness *test_harness_around(GstElement *element, const gchar *caps);

/* Ends a harness of test_harness_new or test_harness_around. */
void test_teardown(GstHarness *h);

/* The bus that such a harness put on its element. Not a new reference. */
GstBus *test_harness_bus(GstHarness *h);

/* Takes the messages of `types` off the bus, drops all others, and returns the texts, a line each:
 * the error with its debug details, or the structure of other messages. `count` may be NULL. */
gchar *test_bus_take(GstBus *bus, GstMessageType types, guint *count);

/* Starts the pipeline and waits until it posts EOS, for so long at most. It plays on. */
void test_play_to_eos(GstElement *pipeline, guint seconds);

/* A serialized event of no meaning, which brings out all frames in flight. */
GstEvent *test_serialized_event(void);

/* Pushes EOS, which brings out all frames in flight; nothing can be pushed afterwards. */
void test_drain(GstHarness *h);

/* Pushes the buffer (takes it), then a serialized event that brings out all frames in flight, and
 * pulls the one result. */
GstBuffer *test_push_pull(GstHarness *h, GstBuffer *buffer);

/* What a new element with these properties makes of one buffer, which is taken. */
GstBuffer *test_filter(const gchar *properties, const gchar *caps, GstBuffer *buffer);

/* A frame of random samples in the default layout of the caps; the same seed, the same frame. A
 * third of all seeds give only the least and greatest sample values. */
GstBuffer *test_frame_random(const gchar *caps, guint32 seed);

/* A frame with all bytes equal. */
GstBuffer *test_frame_flat(const gchar *caps, guint8 value);

/* Fails unless both hold the same picture; what lies between the rows does not count. The caps are
 * the same for both, and GstVideoMeta on either is honoured. */
void test_assert_same_picture(const gchar *caps, GstBuffer *a, GstBuffer *b, const gchar *what);

/* The same comparison as a question. */
gboolean test_same_picture(const gchar *caps, GstBuffer *a, GstBuffer *b);

/* Runs a suite. With CUDACONV_TEST_BACKEND=cuda and fewer than `n_devices` that open it is skipped
 * (77), or failed where CUDACONV_TEST_REQUIRED is set. */
int test_main(int *argc, char ***argv, Suite *(*suite)(void), const gchar *name, guint n_devices);

#define TEST_MAIN_ON_DEVICES(name, n_devices)                                                      \
  int main(int argc, char **argv) {                                                                \
    return test_main(&argc, &argv, name##_suite, #name, n_devices);                                \
  }

#define TEST_MAIN(name) TEST_MAIN_ON_DEVICES(name, 1)
