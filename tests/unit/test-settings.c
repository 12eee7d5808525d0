/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of properties and the filter that is made from them: when it is another one, which its
 * serial number tells, and what a preset does to it. */

#include "cuda/algorithm.h"
#include "engine/error.h"
#include "plugin/enums.h"
#include "plugin/settings.h"

#include <gst/gst.h>

static const CcProperty *
find(const gchar *name) {
  for (guint i = 0; i < cc_n_properties; i++)
    if (g_str_equal(cc_properties[i].name, name))
      return &cc_properties[i];
  g_error("no property %s", name);
}

static gboolean
set(CcSettings *settings, const gchar *name, const gchar *text) {
  const CcProperty *property = find(name);
  GParamSpec *pspec = g_param_spec_ref_sink(cc_property_new_spec(property));
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(pspec));
  g_assert_true(gst_value_deserialize(&value, text));
  g_param_spec_unref(pspec);
  return cc_settings_set(settings, property, &value, NULL);
}

static guint64
serial_of(CcSettings *settings) {
  CcFilter filter;
  const guint64 serial = cc_settings_get_filter(settings, &filter);
  cc_filter_clear(&filter);
  return serial;
}

static void
assert_bias(CcSettings *settings, gdouble asked) {
  CcFilter filter;
  cc_settings_get_filter(settings, &filter);
  g_assert_cmpfloat(filter.bias, ==, asked);
  cc_filter_clear(&filter);
}

/* What a controller sets counts as committed. */
static void
set_controlled(CcSettings *settings, const gchar *name, const gchar *text) {
  cc_settings_begin_control(settings);
  g_assert_true(set(settings, name, text));
  cc_settings_end_control(settings);
}

static void
test_commit(void) {
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 1);
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 1);

  g_assert_true(set(&settings, "bias", "5"));
  assert_bias(&settings, 0);
  g_assert_cmpuint(serial_of(&settings), ==, 1);
  cc_settings_commit(&settings);
  assert_bias(&settings, 5);
  g_assert_cmpuint(serial_of(&settings), ==, 2);

  g_assert_true(set(&settings, "bias", "5"));
  g_assert_true(set(&settings, "n-threads", "3"));
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 2);

  set_controlled(&settings, "bias", "5");
  g_assert_cmpuint(serial_of(&settings), ==, 2);
  set_controlled(&settings, "bias", "6");
  assert_bias(&settings, 6);
  g_assert_cmpuint(serial_of(&settings), ==, 3);
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 3);
  cc_settings_clear(&settings);
}

/* Each number and choice that affects pixels gets into the filter. */
static void
test_every_property(void) {
  static const gchar *const values[][2] = {
      {"kernel", "box"},
      {"size", "5"},
      {"sigma", "2"},
      {"scale", "0.5"},
      {"bias", "-4"},
      {"response", "absolute"},
      {"border", "wrap"},
      {"border-value", "0.5"},
      {"chroma", "copy"},
      {"color", "grey"},
      {"alpha", "filter"},
      {"stride", "4"},
      {"algorithm", "sliding"},
      {"matrix", "<1,2,1>"},
      {"row", "<1,2,1>"},
      {"column", "<1,2,1>"},
      {"kernel-file", "/dev/null"},
      {"matrix-text", "1 2 1;"},
  };
  guint n_seen = 0;
  CcSettings settings;
  cc_settings_init(&settings);
  for (guint i = 0; i < cc_n_properties; i++)
    n_seen += cc_property_affects_pixels(&cc_properties[i]);
  g_assert_cmpuint(n_seen, ==, G_N_ELEMENTS(values));
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    const guint64 before = serial_of(&settings);
    const gboolean ok = set(&settings, values[i][0], values[i][1]);
    cc_settings_commit(&settings);
    g_test_message("%s=%s", values[i][0], values[i][1]);
    g_assert_cmpuint(serial_of(&settings), ==, before + ok);
  }
  CcFilter filter;
  cc_settings_get_filter(&settings, &filter);
  g_assert_cmpuint(filter.size, ==, 5);
  g_assert_cmpfloat(filter.sigma, ==, 2);
  g_assert_cmpfloat(filter.scale, ==, 0.5);
  g_assert_cmpfloat(filter.bias, ==, -4);
  g_assert_cmpint(filter.response, ==, CC_RESPONSE_ABSOLUTE);
  g_assert_cmpint(filter.border, ==, CC_BORDER_WRAP);
  g_assert_cmpfloat(filter.border_value, ==, 0.5);
  g_assert_cmpint(filter.chroma, ==, CC_CHROMA_COPY);
  g_assert_cmpint(filter.color, ==, CC_COLOR_GREY);
  g_assert_cmpint(filter.alpha, ==, CC_ALPHA_FILTER);
  g_assert_cmpuint(filter.stride, ==, 4);
  g_assert_cmpint(filter.algorithm, ==, CC_ALGORITHM_SLIDING);
  cc_filter_clear(&filter);
  cc_settings_clear(&settings);
}

/* While a preset is loaded, no commit and no value of another thread sees a part of it. */
static void
test_preset(void) {
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_true(set(&settings, "column", "<1,2,1>"));
  g_assert_true(set(&settings, "bias", "5"));
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 2);

  cc_settings_begin_preset(&settings);
  g_assert_true(set(&settings, "scale", "2"));
  g_assert_true(set(&settings, "row", "<1,0,-1>"));
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 2);
  g_assert_true(cc_settings_end_preset(&settings, TRUE));
  g_assert_cmpuint(serial_of(&settings), ==, 2);
  cc_settings_commit(&settings);
  g_assert_cmpuint(serial_of(&settings), ==, 3);
  assert_bias(&settings, 0);
  g_assert_cmpuint(gst_value_array_get_size(&settings.now.values.definition.column), ==, 0);
  g_assert_cmpuint(gst_value_array_get_size(&settings.now.values.definition.row), ==, 3);
  g_assert_cmpint(settings.now.values.kernel, ==, GST_CUDA_CONV_KERNEL_CUSTOM);
  cc_settings_clear(&settings);
}

static void
test_refused_preset(void) {
  static const gchar *const refused[][2] = {{"stride", "3"}, {"matrix", "<1,2>"}, {"bias", "1"}};
  CcSettings settings;
  cc_settings_init(&settings);
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++) {
    const gboolean loaded = i < 2; /* the last is a preset that GStreamer gives up */
    cc_settings_begin_preset(&settings);
    g_assert_true(set(&settings, "scale", "2"));
    g_assert_cmpint(set(&settings, refused[i][0], refused[i][1]), ==, !loaded);
    g_assert_false(cc_settings_end_preset(&settings, loaded));
    cc_settings_commit(&settings);
    g_assert_cmpuint(serial_of(&settings), ==, 1);
  }
  cc_settings_clear(&settings);
}

/* --- what runs --- */

static CcPropertySet
bit(const gchar *name) {
  return cc_property_bit((guint)(find(name) - cc_properties));
}

static gchar *
text_of(CcSettings *settings, const gchar *name) {
  const CcProperty *property = find(name);
  GParamSpec *pspec = g_param_spec_ref_sink(cc_property_new_spec(property));
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_PARAM_SPEC_VALUE_TYPE(pspec));
  g_param_spec_unref(pspec);
  cc_settings_get(settings, property, &value);
  return gst_value_serialize(&value);
}

static void
assert_reads(CcSettings *settings, const gchar *name, const gchar *wanted) {
  g_autofree gchar *text = text_of(settings, name);
  g_assert_cmpstr(text, ==, wanted);
}

/* Lets the streaming thread take what was committed. */
static CcPropertySet
take(CcSettings *settings) {
  CcPropertySet bound;
  serial_of(settings);
  return cc_settings_list_changes(settings, &bound);
}

/* What was taken and does not run goes back; what was set anew meanwhile, or is not complete, or a
 * part that runs, stays. */
static void
test_put_back(void) {
  CcSettings settings;
  guint64 serial;
  cc_settings_init(&settings);
  g_assert_cmpuint(take(&settings), ==, ~(CcPropertySet)0);
  cc_settings_accept(&settings, ~(CcPropertySet)0);
  g_assert_cmpuint(take(&settings), ==, 0);

  g_assert_true(set(&settings, "row", "<1,2,1>"));
  g_assert_true(set(&settings, "bias", "5"));
  g_assert_true(set(&settings, "scale", "2"));
  g_assert_true(set(&settings, "border", "wrap"));
  cc_settings_commit(&settings);
  const CcPropertySet definition =
      bit("matrix") | bit("matrix-text") | bit("row") | bit("column") | bit("kernel-file");
  g_assert_cmpuint(take(&settings), ==,
                   definition | bit("kernel") | bit("bias") | bit("scale") | bit("border"));
  cc_settings_accept(&settings, bit("scale"));
  g_assert_true(set(&settings, "bias", "5")); /* anew, and committed */
  cc_settings_commit(&settings);
  g_assert_true(set(&settings, "border", "wrap")); /* anew, of a call that goes on */
  g_assert_cmpuint(cc_settings_put_back(&settings, &serial), ==, definition | bit("kernel"));
  g_assert_cmpuint(serial, ==, 0); /* bias is still to be tried */
  assert_reads(&settings, "row", "<  >");
  assert_reads(&settings, "kernel", "sobel");
  assert_reads(&settings, "bias", "5");
  assert_reads(&settings, "scale", "2");
  assert_reads(&settings, "border", "wrap");
  CcFilter filter;
  cc_settings_get_filter(&settings, &filter);
  g_assert_true(filter.kernel == cc_kernels_find("sobel"));
  g_assert_cmpfloat(filter.scale, ==, 2);
  g_assert_cmpint(filter.border, ==, CC_BORDER_REPLICATE);
  cc_filter_clear(&filter);
  g_assert_cmpuint(take(&settings), ==, bit("bias"));
  cc_settings_put_back(&settings, &serial);
  g_assert_cmpuint(serial, ==, serial_of(&settings));
  cc_settings_clear(&settings);
}

/* A commit as of a number of sets leaves out what was set since. */
static void
test_commit_as_of(void) {
  CcSettings settings;
  cc_settings_init(&settings);
  g_assert_true(set(&settings, "bias", "5"));
  const guint64 n_sets = cc_settings_count_sets(&settings);
  g_assert_true(set(&settings, "bias", "6"));
  g_assert_false(cc_settings_commit_as_of(&settings, n_sets));
  assert_bias(&settings, 0);
  g_assert_true(cc_settings_commit_as_of(&settings, n_sets + 1));
  assert_bias(&settings, 6);
  cc_settings_clear(&settings);
}

/* What was refused before the start is an error at the start until it is mended. */
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
  cc_settings_begin_preset(&settings);
  g_assert_false(cc_settings_remember_refusal(&settings, find("size"), "size=4 is bad"));
  g_assert_true(cc_settings_end_preset(&settings, TRUE));
  g_assert_true(cc_settings_start(&settings, NULL));
  cc_settings_clear(&settings);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  gst_init(&argc, &argv);
  g_test_add_func("/settings/commit", test_commit);
  g_test_add_func("/settings/every-property", test_every_property);
  g_test_add_func("/settings/preset", test_preset);
  g_test_add_func("/settings/refused-preset", test_refused_preset);
  g_test_add_func("/settings/put-back", test_put_back);
  g_test_add_func("/settings/commit-as-of", test_commit_as_of);
  g_test_add_func("/settings/start", test_start);
  return g_test_run();
}
