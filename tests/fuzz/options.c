/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fuzzes the text of options, NAME=VALUE separated by white space. A text is accepted as a whole,
 * or refused with a short message. */

#include "common.h"
#include "engine/options.h"
#include "filter.h"
#include "plugin/backends.h"

#define MAX_BYTES 4096

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_init();
  cc_options_set_algorithms(cc_backend_algorithms());
  return 0;
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  g_autofree gchar *text = g_strndup((const gchar *)data, MIN(size, MAX_BYTES));
  g_auto(CcOptions) options, before;
  g_autoptr(GError) error = NULL;
  cc_options_init(&options);
  cc_options_init(&before);
  const gboolean ok = cc_options_set_text(&options, text, &error);
  fuzz_check(ok == !error, "success and an error, or neither");
  if (error) {
    fuzz_check_text(error->message);
    fuzz_check(cc_options_compare(&options, &before) == 0, "a refused text changed an option");
  }
  for (guint i = CC_N_DEFINITIONS; i < cc_n_options; i++) {
    const CcOptionValue value = cc_options_get(&options, i);
    fuzz_check(cc_option_check(&cc_options[i], &value, NULL), "%s has a value that it refuses",
               cc_options[i].name);
  }
  fuzz_check_options(&options);
  return 0;
}
