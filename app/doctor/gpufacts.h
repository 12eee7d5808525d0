/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the system says about NVIDIA GPUs, without a call of their driver. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  GPtrArray *cards; /* gchar *, "0000:01:00.0 (10de:2330, nvidia)": address, ids, kernel driver */
  gchar *kernel_driver;  /* how NVIDIA's kernel module calls its version; NULL without it */
  GPtrArray *nodes;      /* gchar *, the device nodes /dev/nvidiaN */
  guint n_usable;        /* of the nodes: this user may use them */
  gboolean is_container; /* so far as one can tell */
} GpuFacts;

/* `root` is where the file system starts: "/". */
void gpu_facts_collect(GpuFacts *facts, const gchar *root);
void gpu_facts_clear(GpuFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GpuFacts, gpu_facts_clear)

/* Whether any of it says that there is a GPU. */
gboolean gpu_facts_has_gpu(const GpuFacts *facts);

/* What to do so that a driver can work, in one sentence; NULL when the facts show no obstacle. */
const gchar *gpu_facts_find_mend(const GpuFacts *facts);

G_END_DECLS
