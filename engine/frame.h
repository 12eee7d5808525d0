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
  CC_ROLE_COLOR,  /* R, G, B or grey */
  CC_ROLE_LUMA,   /* Y' */
  CC_ROLE_CHROMA, /* Cb or Cr; neutral at half of the range */
  CC_ROLE_ALPHA,
  CC_ROLE_PADDING, /* the x of RGBx: always copied */
} CcRole;

/* The shape of one plane, without its memory. */
typedef struct {
  guint width;  /* pixels a row, >= 1 */
  guint height; /* rows, >= 1 */
  guint step;   /* samples from a pixel to its right neighbour, 1 to CC_MAX_COMPONENTS */
  CcSampleType type;
  guint depth; /* significant bits of a sample, 8 to 16; 8 with CC_SAMPLE_U8 */
  guint shift; /* how far left they stand in the stored word: 6 for P010, else 0 */
  CcRole role[CC_MAX_COMPONENTS]; /* of the first `step` samples */
} CcPlaneLayout;

typedef struct {
  guint n_planes;
  CcPlaneLayout plane[CC_MAX_PLANES];
  gboolean limited_range; /* black is 16 << (depth - 8) in luma, not 0 */
} CcFrameLayout;

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

/* Bytes of samples in one row, padding left out. */
static inline gsize
cc_plane_row_bytes(const CcPlaneLayout *plane) {
  return (gsize)plane->width * plane->step * cc_sample_size(plane->type);
}

gboolean cc_frame_layout_equal(const CcFrameLayout *a, const CcFrameLayout *b);

/* What a layout becomes when every stride-th pixel of every stride-th row is kept, from the first
 * on. stride >= 1. */
CcFrameLayout cc_frame_layout_shrink(const CcFrameLayout *layout, guint stride);

G_END_DECLS
