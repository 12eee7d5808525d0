/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What was measured, for the tables, files and claims. */

#include "timing.h"

G_BEGIN_DECLS

/* What a line is compared with. */
typedef enum {
  BENCH_PEER_DIRECT,
  BENCH_PEER_TWO_PASS,
  BENCH_PEER_NPP,
  BENCH_PEER_SERIAL, /* the serial loop on one CPU core; only with --paper */
  BENCH_N_PEERS,
} BenchPeer;

/* One line: one algorithm on one kernel, format and size. */
typedef struct {
  const gchar *format;
  guint width, height, stride; /* of the source */
  gchar kernel[48];            /* "gaussian 5x5" */
  gchar algorithm[32];         /* "sliding", "auto (sliding)", "copy", "npp", "serial" */
  BenchTime time;
  gsize bytes;     /* that a frame reads and writes, padding left out */
  gdouble copy_us; /* of a copy that reads and writes as many, measured beside this line */
  gdouble versus[BENCH_N_PEERS]; /* times as fast as the peer; 0: the peer was not measured */
} BenchResult;

/* "direct", "two-pass", "npp", "serial" */
const gchar *bench_peer_name(BenchPeer peer);

G_END_DECLS
