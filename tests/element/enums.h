/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Values of all properties that affect pixels, for tests that change them at random. Each value is
 * available as text for the element, and as a field of CcFilter or as regions for the oracle. */

#include <gst/gst.h>
#include "engine/plan/filter.h"
#include "engine/plan/region.h"

/* The two groups of properties: those that choose the kernel's sums, and those applied to the
 * sums. */
enum { TEST_KERNELS, TEST_LOOKS, TEST_N_GROUPS };

/* A property with numbers, enum values or the kernel for chroma. */
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

/* A kernel: first all named ones, then custom ones, one or more for each property that defines a
 * kernel. */
typedef struct {
  const gchar *set[2][2]; /* pairs of property and text that select the kernel */
  CcKernel *kernel;
  gint choice; /* value of the property `kernel`; 0: custom */
} TestKernel;

extern TestKernel test_kernels[];
extern guint test_n_kernels, test_n_named_kernels;

/* Fills test_kernels. One kernel is the definition in the file at `path`; `path` must stay valid
 * until test_kernels_clear. */
void test_kernels_list(const gchar *path);
void test_kernels_clear(void);

/* Values of the properties that choose regions. They are set together, because target has to suit
 * roi. Regions of metas are those of test_metas_add. */
typedef struct {
  const gchar *set[4][2]; /* property and text */
  gboolean whole;         /* the whole frame is filtered */
  guint n;
  CcRoi roi[3]; /* the same regions, for the oracle */
} TestRegions;

extern const TestRegions test_regions[];
extern const guint test_n_regions;

/* Attaches regions of two types to a buffer. */
void test_metas_add(GstBuffer *buffer);

/* Fails unless test_knobs, test_kernels and test_regions cover all properties that affect pixels.
 */
void test_assert_all_chosen(GstElement *element);

#define TEST_MAX_ASSIGNMENTS 24

/* Values to be set together. */
typedef struct {
  guint n;
  const gchar *name[TEST_MAX_ASSIGNMENTS];
  gchar *text[TEST_MAX_ASSIGNMENTS];
} TestAssignments;

void test_assign(TestAssignments *all, const gchar *name, const gchar *text);
void test_assign_knob(TestAssignments *all, const TestKnob *knob, const CcFilter *filter);
void test_assign_regions(TestAssignments *all, const TestRegions *regions);
void test_assignments_clear(TestAssignments *all);

/* Set the values as one change. test_set_values sets all in one call, as g_object_set does.
 * test_set_texts sets one text after another, which takes longer than filtering a small frame. */
void test_set_values(GObject *object, const TestAssignments *all);
void test_set_texts(GObject *object, const TestAssignments *all);
