/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* With this macro cuda.h declares every version of every function under its name in the library. */
#define __CUDA_API_VERSION_INTERNAL

#include "fake/settings.h"

/* A function of the driver. */
typedef struct {
  const gchar *symbol; /* cuMemAlloc_v2 */
  const gchar *name;   /* cuMemAlloc */
  gpointer real;       /* the driver's function; NULL: it has none */
  gsize once;
} ForwardCall;

/* Counts a call. TRUE: call the driver's function. `failure` is the result of the call, or
 * CUDA_SUCCESS for the driver's result. */
gboolean forward_enter(ForwardCall *call, CUresult *failure);

/* Waits for all work of the current context, if there is one. */
void forward_wait(void);

/* Returns the driver's function by its name in the library, or NULL. */
gpointer forward_find(const gchar *symbol);
#define REAL(symbol) ((__typeof__(symbol) *)forward_find(#symbol))
