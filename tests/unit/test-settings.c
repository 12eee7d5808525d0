/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of properties: staged, committed and set back, and the filter that they describe. */

#include "cuda/algorithm.h"
#include "engine/error.h"
#include "plugin/backends.h"
#include "plugin/properties/settings.h"

static guint
find(const gchar *name) {
  for (guint i = 0; cc_settings_option(i); i++)
    if (g_str_equal(cc_settings_option(i)->name, name))
      return i;
  g_error("no property %s", name);
}

static gboolean
set(CcSettings *settings, const gchar *name, const gchar *text) {
  CcCoefficients coefficients;
  CcOptionValue value;
  return cc_option_parse(cc_settings_option(find(name)), text, &value, &coefficients, NULL) &&
         cc_settings_set(settings, find(name), &value, NULL);
}

static CcOptionSet
bit(const gchar *name) {
  return cc_option_bit(find(name));
}

/* The committed filter. */
static CcFilter
filter_of(CcSettings *settings) {
  CcFilter filter;
  g_auto(CcOptions) options = {0};
  cc_settings_get_options(settings, &options);
  cc_options_get_filter(&options, &filter);
  return filter;
}

static void
assert_bias(CcSettings *settings, gdouble wanted) {
  g_auto(CcFilter) filter = filter_of(settings);
  g_assert_cmpfloat(filter.bias, ==, wanted);
}

/* A commit takes the named values only, and increments the serial number if it changes anything. */
static void
test_commit(void) {
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 1);
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 1);

  g_assert_true(set(&settings, "bias", "5"));
  assert_bias(&settings, 0);
  cc_settings_commit(&settings, ~bit("bias"));
  assert_bias(&settings, 0);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 1);
  cc_settings_commit(&settings, bit("bias"));
  assert_bias(&settings, 5);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 2);

  g_assert_true(set(&settings, "bias", "5"));
  g_assert_true(set(&settings, "n-threads", "3"));
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 2);
  cc_settings_clear(&settings);
}

/* An uncommitted value is committed after 50 ms, and not before. */
static void
test_overdue(void) {
  CcSettings settings;
  cc_settings_init(&settings);
  cc_settings_commit_overdue(&settings);
  const gint64 start = g_get_monotonic_time();
  g_assert_true(set(&settings, "bias", "5"));
  cc_settings_commit_overdue(&settings);
  g_auto(CcFilter) filter = filter_of(&settings);
  g_assert_true(filter.bias == 0 || g_get_monotonic_time() - start >= 50000);
  g_usleep(30000);
  g_assert_true(set(&settings, "scale", "2")); /* does not restart the wait of the first value */
  g_usleep(25000);
  cc_settings_commit_overdue(&settings);
  assert_bias(&settings, 5);

  /* no part of a committed definition is pending or becomes overdue */
  g_assert_true(set(&settings, "row", "1 2 1"));
  cc_settings_commit(&settings, bit("row") | bit("kernel"));
  g_usleep(55000);
  g_assert_true(set(&settings, "bias", "6"));
  cc_settings_commit_overdue(&settings);
  assert_bias(&settings, 5);
  cc_settings_clear(&settings);
}

/* Each number and choice that affects pixels reaches the filter. */
static void
test_every_property(void) {
  static const gchar *const values[][2] = {
      {"kernel", "box"},
      {"size", "5"},
      {"sigma", "2"},
      {"scale", "0.5"},
      {"bias", "-4"},
      {"response", "absolute"},
      {"low", "20.5"},
      {"high", "1e6"},
      {"border", "wrap"},
      {"border-value", "0.5"},
      {"chroma", "copy"},
      {"chroma-kernel", "box"},
      {"chroma-size", "3"},
      {"color", "grey"},
      {"alpha", "filter"},
      {"threshold", "0.5"},
      {"invert", "true"},
      {"mix", "-1.5"},
      {"overlay", "0x80ff0000"},
      {"measure", "histogram"},
      {"stride", "4"},
      {"roi", "10,20,300,200"},
      {"target", "1,2"},
      {"outside", "black"},
      {"roi-meta", "true"},
      {"roi-type", "face"},
      {"roi-sigma", "0.25"},
      {"fields", "frame"},
      {"algorithm", "tensor-core"},
      {"matrix", "1 2 1;"},
      {"row", "1 2 1"},
      {"column", "1 2 1"},
      {"kernel-file", "/dev/null"},
      {"matrix-text", "1 2 1;"},
  };
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_cmpuint(cc_n_options, ==, G_N_ELEMENTS(values));
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    const guint64 before = cc_settings_get_serial(&settings);
    const gboolean ok = set(&settings, values[i][0], values[i][1]);
    cc_settings_commit(&settings, bit(values[i][0]) | bit("kernel"));
    g_test_message("%s=%s", values[i][0], values[i][1]);
    g_assert_cmpuint(cc_settings_get_serial(&settings), ==, before + ok);
  }
  g_auto(CcOptions) options = {0};
  cc_settings_get_options(&settings, &options);
  g_assert_cmpint(options.regions.roi.number[0][3], ==, 200);
  g_assert_cmpint(options.regions.target.number[0][1], ==, 2);
  g_assert_true(options.regions.by_meta);
  g_assert_cmpstr(g_quark_to_string(options.regions.meta_type), ==, "face");
  g_auto(CcFilter) filter = filter_of(&settings);
  g_assert_cmpint(filter.outside, ==, CC_OUTSIDE_BLACK);
  g_assert_cmpfloat(filter.roi_sigma, ==, 0.25);
  g_assert_cmpint(filter.fields, ==, CC_FIELDS_FRAME);
  g_assert_cmpuint(filter.size, ==, 5);
  g_assert_cmpfloat(filter.sigma, ==, 2);
  g_assert_cmpfloat(filter.scale, ==, 0.5);
  g_assert_cmpfloat(filter.bias, ==, -4);
  g_assert_cmpint(filter.response, ==, CC_RESPONSE_ABSOLUTE);
  g_assert_cmpfloat(filter.low, ==, 20.5);
  g_assert_cmpfloat(filter.high, ==, 1e6);
  g_assert_cmpint(filter.border, ==, CC_BORDER_WRAP);
  g_assert_cmpfloat(filter.border_value, ==, 0.5);
  g_assert_cmpint(filter.chroma, ==, CC_CHROMA_COPY);
  g_assert_true(filter.chroma_kernel == cc_kernels_find("box"));
  g_assert_cmpuint(filter.chroma_size, ==, 3);
  g_assert_cmpint(filter.color, ==, CC_COLOR_GREY);
  g_assert_cmpint(filter.alpha, ==, CC_ALPHA_FILTER);
  g_assert_cmpfloat(filter.threshold, ==, 0.5);
  g_assert_true(filter.invert);
  g_assert_true(filter.mixes);
  g_assert_cmpfloat(filter.mix, ==, -1.5);
  g_assert_cmphex(filter.overlay, ==, 0x80ff0000);
  g_assert_cmpint(filter.measure, ==, CC_MEASURE_HISTOGRAM);
  g_assert_cmpuint(filter.stride, ==, 4);
  g_assert_cmpint(filter.algorithm, ==, CC_ALGORITHM_TENSOR_CORE);
  cc_settings_clear(&settings);
}

/* A preset replaces all values that affect pixels, in one change. */
static void
test_preset(void) {
  CcSettings settings, preset;
  cc_settings_init(&settings);
  g_assert_true(set(&settings, "column", "1 2 1"));
  g_assert_true(set(&settings, "bias", "5"));
  g_assert_true(set(&settings, "n-threads", "3"));
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 2);

  cc_settings_init(&preset);
  g_assert_true(set(&preset, "scale", "2"));
  g_assert_true(set(&preset, "row", "1 0 -1"));
  cc_settings_load(&settings, &preset);
  cc_settings_clear(&preset);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 2);
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  g_assert_cmpuint(cc_settings_get_serial(&settings), ==, 3);
  g_auto(CcFilter) filter = filter_of(&settings);
  g_assert_cmpfloat(filter.bias, ==, 0);
  g_assert_cmpfloat(filter.scale, ==, 2);
  g_assert_null(settings.staged.text[CC_OPTION_COLUMN]);
  g_assert_cmpstr(settings.staged.text[CC_OPTION_ROW], ==, "1 0 -1");
  g_assert_cmpint(settings.staged.kernel, ==, CC_KERNEL_CUSTOM);
  g_assert_cmpuint(settings.device.backend.n_threads, ==, 3);
  cc_settings_clear(&settings);
}

/* --- values that cannot work --- */

static void
assert_reads(CcSettings *settings, const gchar *name, const gchar *wanted) {
  const CcOption *option = cc_settings_option(find(name));
  const CcOptionValue value = cc_settings_get(settings, find(name));
  const gchar *text = option->type == CC_OPTION_CHOICE
                          ? cc_option_find_choice_of(option, value.whole)->name
                          : value.text;
  if (option->type == CC_OPTION_DOUBLE)
    g_assert_cmpfloat(value.number, ==, g_ascii_strtod(wanted, NULL));
  else
    g_assert_cmpstr(text, ==, wanted);
  g_free((gchar *)value.text);
}

/* Refused values are set back, except those that were set again in the meantime. */
static void
test_put_back(void) {
  CcSettings settings;
  g_auto(CcOptions) running, tried;
  cc_settings_init(&settings);
  cc_options_init(&running);
  cc_options_init(&tried);
  cc_settings_take(&settings, &running);

  g_assert_true(set(&settings, "row", "1 2 1"));
  g_assert_true(set(&settings, "bias", "5"));
  g_assert_true(set(&settings, "scale", "2"));
  g_assert_true(set(&settings, "border", "wrap"));
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  const guint64 serial = cc_settings_take(&settings, &tried);
  const CcOptionSet definition =
      bit("matrix") | bit("matrix-text") | bit("row") | bit("column") | bit("kernel-file");
  const CcOptionSet changes = cc_options_compare(&tried, &running);
  g_assert_cmpuint(changes, ==,
                   definition | bit("kernel") | bit("bias") | bit("scale") | bit("border"));
  cc_options_assign(&running, &tried, bit("scale"));

  g_assert_true(set(&settings, "bias", "6")); /* set again and committed */
  cc_settings_commit(&settings, bit("bias"));
  g_assert_true(set(&settings, "border", "reflect")); /* set again by a call that is not finished */
  g_assert_cmpuint(cc_settings_put_back(&settings, changes & ~bit("scale"), &running), ==,
                   definition | bit("kernel"));
  g_assert_cmpuint(cc_settings_get_serial(&settings), >, serial); /* bias is not tried yet */
  assert_reads(&settings, "row", NULL);
  assert_reads(&settings, "kernel", "sobel");
  assert_reads(&settings, "bias", "6");
  assert_reads(&settings, "scale", "2");
  assert_reads(&settings, "border", "reflect");
  cc_settings_take(&settings, &tried);
  g_assert_cmpuint(cc_options_compare(&tried, &running), ==, bit("bias"));
  g_auto(CcFilter) filter = filter_of(&settings);
  g_assert_true(filter.kernel == cc_kernels_find("sobel"));
  g_assert_cmpfloat(filter.scale, ==, 2);
  g_assert_cmpint(filter.border, ==, CC_BORDER_REPLICATE);
  cc_settings_clear(&settings);
}

/* A kernel that is defined while another one is refused stays selected. */
static void
test_put_back_anew(void) {
  CcSettings settings;
  g_auto(CcOptions) running, tried;
  cc_settings_init(&settings);
  cc_options_init(&running);
  cc_options_init(&tried);
  cc_settings_take(&settings, &running);
  g_assert_true(set(&settings, "row", "1 2 1"));
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  cc_settings_take(&settings, &tried);
  g_assert_true(set(&settings, "row", "1 4 1"));
  cc_settings_commit(&settings, CC_ALL_OPTIONS);
  const CcOptionSet refused = cc_options_compare(&tried, &running);
  g_assert_cmpuint(cc_settings_put_back(&settings, refused, &running), ==, 0);
  assert_reads(&settings, "row", "1 4 1");
  assert_reads(&settings, "kernel", "custom");
  g_auto(CcFilter) filter = filter_of(&settings);
  g_assert_cmpstr(filter.kernel->name, ==, "custom");
  cc_settings_clear(&settings);
}

typedef struct {
  CcSettings *settings;
  gint stop; /* atomic */
} Definer;

static gpointer
undefine_files(gpointer data) {
  Definer *definer = data;
  while (!g_atomic_int_get(&definer->stop))
    set(definer->settings, "kernel-file", "");
  return NULL;
}

/* A thread that sets an empty definition does not undo a preset. */
static void
test_define_beside_presets(void) {
  CcSettings settings, preset[2];
  cc_settings_init(&settings);
  for (guint i = 0; i < G_N_ELEMENTS(preset); i++) {
    cc_settings_init(&preset[i]);
    g_assert_true(set(&preset[i], "row", i ? "1 2 1" : "1 4 1"));
  }
  Definer definer = {.settings = &settings};
  GThread *thread = g_thread_new("definer", undefine_files, &definer);
  for (guint n = 0; n < 20000; n++) {
    const CcSettings *loaded = &preset[n % 2];
    cc_settings_load(&settings, loaded);
    g_usleep(n % 16 == 0 ? 1 : 0);
    CcOptionValue row = cc_settings_get(&settings, CC_OPTION_ROW);
    g_assert_cmpstr(row.text, ==, loaded->staged.text[CC_OPTION_ROW]);
    g_free((gchar *)row.text);
  }
  g_atomic_int_set(&definer.stop, TRUE);
  g_thread_join(thread);
  for (guint i = 0; i < G_N_ELEMENTS(preset); i++)
    cc_settings_clear(&preset[i]);
  cc_settings_clear(&settings);
}

/* A value refused before the start is an error at the start until it is fixed. */
static void
test_start(void) {
  g_autoptr(GError) error = NULL;
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_true(cc_settings_remember_refusal(&settings, find("stride"), "stride=3 is bad"));
  g_assert_true(cc_settings_remember_refusal(&settings, find("matrix"), "matrix=<1> is bad"));
  g_assert_false(cc_settings_start(&settings, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_assert_cmpstr(error->message, ==, "matrix=<1> is bad. stride=3 is bad");
  g_clear_error(&error);
  g_assert_true(set(&settings, "stride", "2"));
  g_assert_true(set(&settings, "kernel", "custom"));
  g_assert_false(cc_settings_start(&settings, &error));
  g_assert_cmpstr(error->message, ==, "matrix=<1> is bad");
  g_assert_true(set(&settings, "kernel", "box"));
  g_assert_true(cc_settings_start(&settings, NULL));
  g_assert_false(cc_settings_remember_refusal(&settings, find("stride"), "stride=3 is bad"));
  cc_settings_stop(&settings);
  g_assert_true(cc_settings_remember_refusal(&settings, find("stride"), "stride=3 is bad"));
  CcSettings preset;
  cc_settings_init(&preset);
  cc_settings_load(&settings, &preset);
  cc_settings_clear(&preset);
  g_assert_true(cc_settings_start(&settings, NULL));
  cc_settings_clear(&settings);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  cc_options_set_algorithms(cc_backend_algorithms());
  g_test_add_func("/settings/commit", test_commit);
  g_test_add_func("/settings/overdue", test_overdue);
  g_test_add_func("/settings/every-property", test_every_property);
  g_test_add_func("/settings/preset", test_preset);
  g_test_add_func("/settings/put-back", test_put_back);
  g_test_add_func("/settings/put-back-anew", test_put_back_anew);
  g_test_add_func("/settings/define-beside-presets", test_define_beside_presets);
  g_test_add_func("/settings/start", test_start);
  return g_test_run();
}
