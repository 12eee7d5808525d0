/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames as planes of interleaved samples. NV12's chroma and RGBA are the same thing as GRAY8 with
 * another step, so no code below the element knows a video format. */

#include <glib.h>

G_BEGIN_DECLS

#define CC_MAX_PLANES 4
#define CC_MAX_COMPONENTS 4 /* samples that one pixel has in one plane */

typedef enum {
  CC_SAMPLE_U8,
  CC_SAMPLE_U16, /* little endian, two bytes */
} CcSampleType;

/* What a sample stands for; it decides whether the sample is filtered, copied or set. */
typedef enum {
  CC_ROLE_GREY,
  CC_ROLE_RED,
  CC_ROLE_GREEN,
  CC_ROLE_BLUE,
  CC_ROLE_LUMA, /* Y' */
  CC_ROLE_CB,   /* chroma is neutral at half of the range */
  CC_ROLE_CR,
  CC_ROLE_ALPHA,
  CC_ROLE_PADDING, /* the x of RGBx: always copied */
} CcRole;

static inline gboolean
cc_role_is_chroma(CcRole role) {
  return role == CC_ROLE_CB || role == CC_ROLE_CR;
}

/* The shape of one plane, without its memory. A row is groups of `step` samples. A group is a
 * pixel, or in packed 4:2:2, where `pairs` says so, two neighbours that share their chroma; of an
 * odd width the last one has a sample of luma that belongs to no pixel and repeats the one before.
 */
typedef struct {
  guint width;  /* pixels a row, >= 1 */
  guint height; /* rows, >= 1 */
  guint step;   /* samples from a group to its right neighbour, 1 to CC_MAX_COMPONENTS */
  CcSampleType type;
  guint depth; /* significant bits of a sample, 8 to 16; 8 with CC_SAMPLE_U8 */
  guint shift; /* how far left they stand in the stored word: 6 for P010, else 0 */
  CcRole role[CC_MAX_COMPONENTS]; /* of the first `step` samples */
  gboolean pairs; /* a group is two pixels: four samples, among them two of luma, two apart */
} CcPlaneLayout;

typedef struct {
  guint n_planes;
  CcPlaneLayout plane[CC_MAX_PLANES];
  gboolean limited_range; /* black is 16 << (depth - 8) in luma, not 0 */
  gdouble kr, kb;         /* what red and blue weigh in luma; 0: not known, taken for BT.601 */
} CcFrameLayout;

#define CC_DEFAULT_KR 0.299
#define CC_DEFAULT_KB 0.114

/* Where one plane lies. The memory is not owned. */
typedef struct {
  guint8 *data; /* the first sample of the top row; aligned to the sample's size, not more */
  gssize pitch; /* bytes from a row to the one below; may be negative */
} CcPlane;

/* What kind of memory a plane's `data` points to. */
typedef enum {
  CC_MEMORY_HOST,   /* any memory of the process */
  CC_MEMORY_PINNED, /* the same, page-locked by cc_device_alloc_pinned or cc_device_pin */
  CC_MEMORY_DEVICE, /* of the backend's device, in its context; a pitch is never negative */
  CC_MEMORY_PEER,   /* of another device or context; for source frames only */
} CcMemoryKind;

/* The planes of one picture, as many as its layout has. */
typedef struct {
  CcPlane plane[CC_MAX_PLANES];
  CcMemoryKind memory;   /* of all planes */
  gboolean is_one_block; /* all planes lie in one block of memory, which may be read as a whole */
  gpointer stream; /* with DEVICE memory: the stream, as an opaque handle, whose work so far has
                      to end before the planes are used; NULL: there is none */
} CcFrame;

static inline gsize
cc_sample_size(CcSampleType type) {
  return type == CC_SAMPLE_U8 ? 1 : 2;
}

/* Groups of samples in a row. */
static inline guint
cc_plane_groups(const CcPlaneLayout *plane) {
  return plane->pairs ? plane->width / 2 + plane->width % 2 : plane->width;
}

/* Bytes of samples in one row, padding left out. */
static inline gsize
cc_plane_row_bytes(const CcPlaneLayout *plane) {
  return (gsize)cc_plane_groups(plane) * plane->step * cc_sample_size(plane->type);
}

/* Bytes of samples in all planes, padding left out. */
static inline gsize
cc_frame_layout_bytes(const CcFrameLayout *layout) {
  gsize bytes = 0;
  for (guint p = 0; p < layout->n_planes; p++)
    bytes += cc_plane_row_bytes(&layout->plane[p]) * layout->plane[p].height;
  return bytes;
}

gboolean cc_frame_layout_equal(const CcFrameLayout *a, const CcFrameLayout *b);

/* What a layout becomes when every stride-th pixel of every stride-th row is kept, from the first
 * on. stride >= 1. */
CcFrameLayout cc_frame_layout_shrink(const CcFrameLayout *layout, guint stride);

G_END_DECLS
