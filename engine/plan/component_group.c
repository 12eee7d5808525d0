/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "component_group.h"

/* The smallest power of two for which `n` samples cover `size` pixels. */
static guint
pixels_of_sample(guint size, guint n) {
  guint each = 1;
  while (size / each + (size % each != 0) > n)
    each *= 2;
  return each;
}

void
cc_component_groups_add(CcComponentGroup *groups, guint *n, const CcPlaneLayout *pixels,
                        const CcPlaneLayout *samples, guint plane, CcComponentOffset offset,
                        guint component) {
  const guint across = pixels_of_sample(pixels->width, samples->width);
  const guint down = pixels_of_sample(pixels->height, samples->height);
  CcComponentGroup *group = &groups[MAX(*n, 1) - 1];
  if (*n == 0 || group->across != across || group->down != down) {
    group = &groups[(*n)++];
    *group = (CcComponentGroup){.plane = plane, .across = across, .down = down};
  }
  group->offset[group->n] = offset;
  group->component[group->n++] = component;
}
