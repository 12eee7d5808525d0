/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernels for interleaved samples. Included by row_kernels.c once for each sample type, with
 *   SAMPLE   the type
 *   NAME(f)  f with the type's suffix */

static ALWAYS_INLINE void
NAME(join_parts)(SAMPLE *restrict out, const gconstpointer parts[], guint n_parts, guint n) {
  const SAMPLE *a = parts[0], *b = n_parts > 1 ? parts[1] : a;
  const SAMPLE *c = n_parts > 2 ? parts[2] : a, *d = n_parts > 3 ? parts[3] : a;
  for (gsize i = 0; i < n; i++) {
    SAMPLE *to = out + i * n_parts;
    to[0] = a[i];
    if (n_parts > 1)
      to[1] = b[i];
    if (n_parts > 2)
      to[2] = c[i];
    if (n_parts > 3)
      to[3] = d[i];
  }
}

static void
NAME(join)(gpointer dst, const gconstpointer parts[], guint n_parts, guint n) {
#define JOIN(constant) NAME(join_parts)(dst, parts, constant, n)
  FOR_SPACING(n_parts, JOIN)
#undef JOIN
}

#undef SAMPLE
#undef NAME
