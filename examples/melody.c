/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "melody.h"

#include <math.h>

#define NOTE_SECONDS 0.3125 /* seconds between two notes; 16 notes take five seconds */
#define RING_SECONDS 1.6    /* seconds until a note is inaudible */
#define FADE_SECONDS 0.4
#define LOUDNESS 0.11

/* In semitones above A (220 Hz). */
static const gint notes[] = {3, 10, 15, 19, 17, 15, 10, 12, 7, 10, 15, 22, 19, 17, 15, 10};

/* A note is a fundamental and two overtones, which decay faster. */
static gdouble
note_sample(gdouble frequency, gdouble seconds) {
  gdouble turns = 2 * G_PI * frequency * seconds;
  gdouble attack = MIN(seconds / 0.008, 1), decay = exp(-3.2 * seconds);
  return attack * decay *
         (sin(turns) + 0.4 * decay * sin(2 * turns) + 0.15 * decay * sin(3 * turns));
}

static void
add_note(gdouble *sums, gsize n_frames, guint number) {
  gdouble frequency = 220 * pow(2, notes[number % G_N_ELEMENTS(notes)] / 12.0);
  gdouble right = number % 2 ? 0.7 : 0.3;
  gsize first = (gsize)(number * NOTE_SECONDS * MELODY_RATE);
  gsize end = MIN(first + (gsize)(RING_SECONDS * MELODY_RATE), n_frames);
  for (gsize i = first; i < end; i++) {
    gdouble sample = note_sample(frequency, (gdouble)(i - first) / MELODY_RATE);
    sums[2 * i] += (1 - right) * sample;
    sums[2 * i + 1] += right * sample;
  }
}

gint16 *
melody_new(gdouble seconds, gsize *n_bytes) {
  gsize n_frames = (gsize)(seconds * MELODY_RATE);
  g_autofree gdouble *sums = g_new0(gdouble, MELODY_CHANNELS * n_frames);
  for (guint number = 0; number * NOTE_SECONDS < seconds; number++)
    add_note(sums, n_frames, number);
  gint16 *samples = g_new(gint16, MELODY_CHANNELS * n_frames);
  for (gsize i = 0; i < MELODY_CHANNELS * n_frames; i++) {
    gsize frame = i / MELODY_CHANNELS;
    gdouble left = seconds - (gdouble)frame / MELODY_RATE;
    gdouble value = LOUDNESS * G_MAXINT16 * MIN(left / FADE_SECONDS, 1) * sums[i];
    samples[i] = (gint16)CLAMP(floor(value + 0.5), G_MININT16, G_MAXINT16);
  }
  *n_bytes = MELODY_CHANNELS * n_frames * sizeof *samples;
  return samples;
}
