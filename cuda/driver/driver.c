/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "driver.h"

#include <gmodule.h>
#include "engine/error.h"

#define LIBRARY "libcuda.so.1"

/* The name of a function in the library. cuda.h renames functions by macros: cuMemAlloc is
 * cuMemAlloc_v2. */
#define STRING_OF(name) #name
#define SYMBOL(name) STRING_OF(name)

gboolean
cc_cuda_check(const CcCudaDriver *cuda, CUresult result, const gchar *call, GError **error) {
  const char *name = NULL, *words = NULL;
  if (result == CUDA_SUCCESS)
    return TRUE;
  cuda->cuGetErrorName(result, &name);
  cuda->cuGetErrorString(result, &words);
  g_set_error(error, CC_ERROR,
              result == CUDA_ERROR_OUT_OF_MEMORY ? CC_ERROR_NO_MEMORY : CC_ERROR_DEVICE,
              "%s: %s (%d), %s", call, name ? name : "unknown error", (int)result,
              words ? words : "no description");
  return FALSE;
}

/* --- the library --- */

static gboolean
load_functions(CcCudaDriver *cuda, GError **error) {
  GModule *library = g_module_open(LIBRARY, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (!library) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "no NVIDIA driver: %s", g_module_error());
    return FALSE;
  }
#define LOAD(name)                                                                                 \
  if (!g_module_symbol(library, SYMBOL(name), (gpointer *)&cuda->name)) {                          \
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,                                             \
                "the NVIDIA driver is too old: its " LIBRARY " has no " SYMBOL(name));             \
    g_module_close(library);                                                                       \
    return FALSE;                                                                                  \
  }
  CC_CUDA_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD_OPTIONAL(name) g_module_symbol(library, SYMBOL(name), (gpointer *)&cuda->name);
  CC_CUDA_OPTIONAL_FUNCTIONS(LOAD_OPTIONAL)
#undef LOAD_OPTIONAL
  return TRUE; /* the library stays open */
}

static gboolean
initialise(const CcCudaDriver *cuda, GError **error) {
  g_autoptr(GError) reason = NULL;
  int version = 0;
  if (!cc_cuda_check(cuda, cuda->cuInit(0), "cuInit", &reason) ||
      !cc_cuda_check(cuda, cuda->cuDriverGetVersion(&version), "cuDriverGetVersion", &reason)) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE, "the NVIDIA driver does not start: %s",
                reason->message);
    return FALSE;
  }
  /* Within a major version, any driver runs code from any toolkit. */
  if (version / 1000 < CUDA_VERSION / 1000) {
    g_set_error(error, CC_ERROR, CC_ERROR_UNAVAILABLE,
                "the NVIDIA driver is too old: it supports CUDA %d.%d, this build needs %d.0",
                version / 1000, version % 1000 / 10, CUDA_VERSION / 1000);
    return FALSE;
  }
  return TRUE;
}

const CcCudaDriver *
cc_cuda_driver(GError **error) {
  static GMutex lock;
  static CcCudaDriver driver;
  static gboolean loaded, initialised;
  g_autoptr(GMutexLocker) G_GNUC_UNUSED locker = g_mutex_locker_new(&lock);
  if (!loaded)
    loaded = load_functions(&driver, error);
  if (loaded && !initialised)
    initialised = initialise(&driver, error);
  return initialised ? &driver : NULL;
}
