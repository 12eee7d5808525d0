/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Frames as planes of interleaved samples. NV12's chroma and RGBA differ from GRAY8 only in `step`
 * and `role`, so no code below the element knows video formats. */

#include <glib.h>

G_BEGIN_DECLS

#define CC_MAX_PLANES 4
#define CC_MAX_COMPONENTS 4 /* maximum number of samples of one pixel in one plane */

typedef enum {
  CC_SAMPLE_U8,
  CC_SAMPLE_U16, /* little endian, two bytes */
} CcSampleType;

/* The meaning of a sample, which decides whether the sample is filtered, copied or set. */
typedef enum {
  CC_ROLE_GREY,
  CC_ROLE_RED,
  CC_ROLE_GREEN,
  CC_ROLE_BLUE,
  CC_ROLE_LUMA, /* Y' */
  CC_ROLE_CB,   /* the neutral value of chroma is half of the range */
  CC_ROLE_CR,
  CC_ROLE_ALPHA,
  CC_ROLE_PADDING, /* the x of RGBx: always copied */
} CcRole;

static inline gboolean
cc_role_is_chroma(CcRole role) {
  return role == CC_ROLE_CB || role == CC_ROLE_CR;
}

/* The shape of one plane, without its memory. A row consists of groups of `step` samples. A group
 * is one pixel. With `has_macropixels` (packed 4:2:2) a group is a macropixel: two neighbouring
 * pixels that share their chroma. If such a row has an odd width, the second luma sample of the
 * last group belongs to no pixel and repeats the first. */
typedef struct {
  guint width;  /* pixels in a row, >= 1 */
  guint height; /* rows, >= 1 */
  guint step;   /* samples of a group, 1 to CC_MAX_COMPONENTS */
  CcSampleType type;
  guint depth; /* significant bits of a sample, 8 to 16; 8 with CC_SAMPLE_U8 */
  /* left shift of the significant bits in the stored word: 6 for P010, 4 for P012, else 0 */
  guint shift;
  CcRole role[CC_MAX_COMPONENTS]; /* of the samples of a group; the first `step` entries are set */
  gboolean has_macropixels;       /* a group has four samples, with luma in every second one */
} CcPlaneLayout;

typedef struct {
  guint n_planes;
  CcPlaneLayout plane[CC_MAX_PLANES];
  gboolean limited_range; /* the luma of black is 16 << (depth - 8), not 0 */
  gdouble kr, kb;         /* weights of red and blue in luma; 0: unknown, BT.601 is assumed */
} CcFrameLayout;

#define CC_DEFAULT_KR 0.299
#define CC_DEFAULT_KB 0.114

/* A rectangle of pixels. */
typedef struct {
  guint x, y, width, height;
} CcRect;

/* The address of one plane. The memory is not owned. */
typedef struct {
  /* the first sample of the top row; aligned to the sample's size, but not always to more */
  guint8 *data;
  gssize pitch; /* bytes from a row to the next row below; may be negative */
} CcPlane;

typedef enum {
  CC_MEMORY_HOST,   /* any memory of the process */
  CC_MEMORY_PINNED, /* host memory, page-locked by cc_device_alloc_pinned or cc_device_pin */
  /* memory of the backend's device, in the backend's context; no pitch is negative */
  CC_MEMORY_DEVICE,
  CC_MEMORY_PEER, /* memory of another device or context; for source frames only */
} CcMemoryKind;

/* The planes of one frame. The frame's layout gives their number. */
typedef struct {
  CcPlane plane[CC_MAX_PLANES];
  CcMemoryKind memory;   /* of all planes */
  gboolean is_one_block; /* all planes are in one block of memory, which may be read as a whole */
  /* With CC_MEMORY_DEVICE: an opaque handle of a stream. The work that is queued in the stream must
   * end before the planes are used. NULL: no stream. */
  gpointer stream;
} CcFrame;

/* Changes the planes of a frame to the rows of one field: field[p] is 0 for the even rows of plane
 * p and 1 for the odd rows. */
static inline void
cc_frame_take_field(CcFrame *self, guint n_planes, const guint field[CC_MAX_PLANES]) {
  for (guint p = 0; p < n_planes; p++) {
    self->plane[p].data += (gssize)field[p] * self->plane[p].pitch;
    self->plane[p].pitch *= 2;
  }
}

static inline gsize
cc_sample_size(CcSampleType type) {
  return type == CC_SAMPLE_U8 ? 1 : 2;
}

static inline guint
cc_plane_groups(const CcPlaneLayout *plane) {
  return plane->has_macropixels ? plane->width / 2 + plane->width % 2 : plane->width;
}

/* Bytes of the samples in one group. */
static inline gsize
cc_plane_group_bytes(const CcPlaneLayout *plane) {
  return plane->step * cc_sample_size(plane->type);
}

/* Bytes of the samples in one row, without padding. */
static inline gsize
cc_plane_row_bytes(const CcPlaneLayout *plane) {
  return cc_plane_groups(plane) * cc_plane_group_bytes(plane);
}

/* Bytes of the samples in all planes, without padding. */
static inline gsize
cc_frame_layout_bytes(const CcFrameLayout *layout) {
  gsize bytes = 0;
  for (guint p = 0; p < layout->n_planes; p++)
    bytes += cc_plane_row_bytes(&layout->plane[p]) * layout->plane[p].height;
  return bytes;
}

gboolean cc_frame_layout_equal(const CcFrameLayout *a, const CcFrameLayout *b);

/* The layout that results if every stride-th pixel of every stride-th row is kept, starting with
 * the first. stride >= 1. */
CcFrameLayout cc_frame_layout_shrink(const CcFrameLayout *layout, guint stride);

G_END_DECLS
