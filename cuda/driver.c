/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "driver.h"

#include <gmodule.h>
#include <stdio.h>
#include "engine/error.h"

#define LIBRARY "libcuda.so.1"

/* The names as the header maps them: cuMemAlloc is cuMemAlloc_v2 in the library. */
#define STRING_OF(name) #name
#define SYMBOL(name) STRING_OF(name)

/* --- results --- */

typedef struct {
  gchar call[32];
  gint at;
  gboolean on; /* also from there on */
  int code;
  gint count; /* calls so far; atomic */
} Failure;

/* The failures that CUDACONV_FAIL asks for, or NULL. */
static GArray *
wanted_failures(void) {
  static GArray *failures;
  static gsize once;
  const gchar *text = g_getenv("CUDACONV_FAIL");
  if (!g_once_init_enter(&once))
    return failures;
  if (text && *text) {
    failures = g_array_new(FALSE, FALSE, sizeof(Failure));
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    for (gchar **word = words; *word; word++) {
      Failure f = {0};
      gchar plus = 0;
      if (sscanf(*word, "%31[A-Za-z0-9]:%d:%d", f.call, &f.at, &f.code) != 3 &&
          sscanf(*word, "%31[A-Za-z0-9]:%d%c:%d", f.call, &f.at, &plus, &f.code) != 4)
        g_warning("CUDACONV_FAIL: \"%s\" is not CALL:N:CODE or CALL:N+:CODE", *word);
      f.on = plus == '+';
      g_array_append_val(failures, f);
    }
  }
  g_once_init_leave(&once, 1);
  return failures;
}

static CUresult
inject_failure(const gchar *call) {
  GArray *failures = wanted_failures();
  for (guint i = 0; failures && i < failures->len; i++) {
    Failure *f = &g_array_index(failures, Failure, i);
    if (!g_str_equal(f->call, call))
      continue;
    const gint n = g_atomic_int_add(&f->count, 1) + 1;
    if (n == f->at || (f->on && n > f->at))
      return (CUresult)f->code;
  }
  return CUDA_SUCCESS;
}

gboolean
cc_cuda_check(const CcCudaDriver *cuda, CUresult result, const gchar *call, GError **error) {
  const char *name = NULL, *words = NULL;
  if (result == CUDA_SUCCESS)
    result = inject_failure(call);
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
  /* Within a major version any driver runs what any toolkit made. */
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
