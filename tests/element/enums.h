/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Values of all properties that affect pixels, for tests that change them at random: each as the
 * element's text, and as the field of a filter for the oracle. */

#include <gst/gst.h>
#include "engine/plan/filter.h"

/* The properties fall into two groups, of kernels and of what becomes of their sums. */
enum { TEST_KERNELS, TEST_LOOKS, TEST_N_GROUPS };

/* A number or choice. */
typedef struct {
  const gchar *name;
  guint group;
  gsize offset; /* in CcFilter */
  gboolean real;
  guint n;
  gdouble values[8];
} TestKnob;

extern const TestKnob test_knobs[];
extern const guint test_n_knobs;

gdouble test_knob_get(const TestKnob *knob, const CcFilter *filter);
void test_knob_put(const TestKnob *knob, CcFilter *filter, gdouble value);

/* A kernel: the named ones first, then custom ones, defined in every way. */
typedef struct {
  const gchar *set[2][2]; /* properties and texts that choose it */
  CcKernel *kernel;
  gint choice; /* of the property kernel; 0: custom */
} TestKernel;

extern TestKernel test_kernels[];
extern guint test_n_kernels, test_n_named_kernels;

/* Lists them, one as the definition in the file at `path`, which is borrowed until the other. */
void test_kernels_list(const gchar *path);
void test_kernels_clear(void);

/* Fails unless the kernels and knobs are of all properties that affect pixels. */
void test_assert_all_chosen(GstElement *element);

/* Values to be set together. */
typedef struct {
  guint n;
  const gchar *name[16];
  gchar *text[16];
} TestAssignments;

void test_assign(TestAssignments *all, const gchar *name, const gchar *text);
void test_assign_knob(TestAssignments *all, const TestKnob *knob, const CcFilter *filter);
void test_assignments_clear(TestAssignments *all);

/* Set them as one change: as one g_object_set does, or as texts, which takes longer than a small
 * frame. */
void test_set_values(GObject *object, const TestAssignments *all);
void test_set_texts(GObject *object, const TestAssignments *all);
