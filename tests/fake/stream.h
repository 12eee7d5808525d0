/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Operations that are enqueued on streams. */

#include "fake.h"
#include "launch.h"

/* The most memory ranges of a launch that are checked: those of each plane job, taps and
 * scratch. */
#define FAKE_MAX_RANGES (4 * CC_LAUNCH_JOBS + 3)

/* A position in a stream, where an event was recorded. */
typedef struct FakeMark FakeMark;

typedef enum { FAKE_OP_COPY, FAKE_OP_FILL, FAKE_OP_LAUNCH, FAKE_OP_MARK, FAKE_OP_WAIT } FakeOpKind;

/* An enqueued operation. */
typedef struct {
  FakeOpKind kind;
  guint8 *to;
  const guint8 *from;
  gsize to_pitch, from_pitch, row_bytes, rows;
  guint8 value;
  const gchar *kernel;
  FakeGrid grid;
  CcLaunch launch;
  FakeMark *mark;
  FakeRange range[FAKE_MAX_RANGES]; /* memory that it uses */
  guint n_ranges;
} FakeOp;

/* Returns the stream of a handle, or of NULL, to enqueue something. It must belong to the current
 * context. */
CUstream fake_stream_of(const gchar *call, CUstream handle);

/* Appends a copy of the operation to the stream. */
void fake_enqueue(CUstream stream, const FakeOp *op);

/* Runs everything that is enqueued on the stream. */
void fake_run_stream(CUstream stream);
