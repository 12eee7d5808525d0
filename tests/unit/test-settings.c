/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of properties and the filter that is made from them: when it is another one, which its
 * serial number tells, and what a preset does to it. */

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

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  gst_init(&argc, &argv);
  g_test_add_func("/settings/commit", test_commit);
  g_test_add_func("/settings/every-property", test_every_property);
  g_test_add_func("/settings/preset", test_preset);
  g_test_add_func("/settings/refused-preset", test_refused_preset);
  return g_test_run();
}
