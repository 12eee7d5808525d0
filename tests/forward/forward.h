/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The header then declares every version of every function under the name that it has in the
 * library. */
#define __CUDA_API_VERSION_INTERNAL

#include "fake/settings.h"

/* A function of the driver. */
typedef struct {
  const gchar *symbol; /* cuMemAlloc_v2 */
  const gchar *name;   /* cuMemAlloc */
  gpointer real;       /* that of the driver; NULL: it has none */
  gsize once;
} ForwardCall;

/* Counts a call. TRUE when the driver's function is to be called; `failure` is the result, or
 * CUDA_SUCCESS for that of the driver. */
gboolean forward_enter(ForwardCall *call, CUresult *failure);

/* Waits for all that runs in the context that is current, if there is one. */
void forward_wait(void);

/* The driver's function under its name in the library, or NULL. */
gpointer forward_find(const gchar *symbol);
#define REAL(symbol) ((__typeof__(symbol) *)forward_find(#symbol))
