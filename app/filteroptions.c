/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filteroptions.h"
#include "command.h"
#include "app/convert/elements.h"
#include "engine/options.h"
#include "engine/plan/plan.h"
#include "suggest.h"
#include "text.h"

#include <string.h>

#define ELEMENT "cudaconv"
#define KERNEL_FILE "kernel-file"

typedef struct {
  gchar *property, *text;
} Setting;

struct _FilterOptions {
  GstElement *model;       /* lists the element's properties; is never started */
  GParamSpec **properties; /* the writable properties of the element; ends with NULL */
  GOptionEntry *entries;   /* one option for each property; ends with an empty entry */
  GPtrArray *descriptions; /* owns the description texts that `entries` points to */
  GArray *settings;        /* elements are Setting, in the order of the command line */
  gchar *preset;
};

static void
clear_setting(Setting *setting) {
  g_free(setting->property);
  g_free(setting->text);
}

GParamSpec **
filter_list_properties(GstElement *filter) {
  guint count, used = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(filter), &count);
  for (guint i = 0; i < count; i++) {
    /* the command does not need the properties of the base classes, such as `name` and `qos` */
    if (all[i]->flags & G_PARAM_WRITABLE && all[i]->owner_type == G_OBJECT_TYPE(filter))
      all[used++] = all[i];
  }
  all = g_renew(GParamSpec *, all, used + 1);
  all[used] = NULL;
  return all;
}

/* An option of engine/option.h, made from a property of the element. */
typedef struct {
  CcOption option;
  CcChoice *choices;
} Described;

static const CcChoice *
choices_of(const CcOption *self) {
  return ((const Described *)self)->choices;
}

static void
clear_described(Described *self) {
  g_free(self->choices);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Described, clear_described)

static Described
describe(const GParamSpec *spec) {
  Described self = {.option = {.name = spec->name, .type = CC_OPTION_TEXT}};
  CcOption *option = &self.option;
  if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const GEnumClass *values = G_PARAM_SPEC_ENUM(spec)->enum_class;
    option->type = CC_OPTION_CHOICE;
    option->choices = choices_of;
    self.choices = g_new0(CcChoice, values->n_values + 1);
    for (guint i = 0; i < values->n_values; i++)
      self.choices[i] = (CcChoice){values->values[i].value, values->values[i].value_nick,
                                   values->values[i].value_name};
  } else if (G_IS_PARAM_SPEC_INT(spec)) {
    option->type = CC_OPTION_INT;
    option->min = G_PARAM_SPEC_INT(spec)->minimum;
    option->max = G_PARAM_SPEC_INT(spec)->maximum;
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    option->type = CC_OPTION_DOUBLE;
    option->min = G_PARAM_SPEC_DOUBLE(spec)->minimum;
    option->max = G_PARAM_SPEC_DOUBLE(spec)->maximum;
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    option->type = CC_OPTION_BOOLEAN;
  } else if (G_IS_PARAM_SPEC_UINT(spec)) {
    option->type = CC_OPTION_COLOR;
  } else if (strcmp(spec->name, "roi") == 0 || strcmp(spec->name, "target") == 0) {
    option->type = CC_OPTION_TUPLES;
    option->max = strcmp(spec->name, "roi") == 0 ? 4 : 2;
  } else if (GST_IS_PARAM_SPEC_ARRAY_LIST(spec)) {
    option->type = CC_OPTION_COEFFICIENTS;
    option->valid = g_str_equal(option->name, "matrix")
                        ? "an array of rows such as <<0,1,0>,<1,4,1>,<0,1,0>>"
                        : "an array such as <1,2,1>";
  }
  return self;
}

/* ---- setting ---- */

static const gchar *
find_name(const gchar *text, gchar **names) {
  for (; names && *names; names++) {
    if (g_ascii_strcasecmp(*names, text) == 0)
      return *names;
  }
  return NULL;
}

/* Returns the end of the error message for a wrong value, or "". The text helps with common
 * mistakes: the name of a preset as a kernel, a list in another syntax, and a number with a
 * decimal comma. */
static const gchar *
hint(GstElement *filter, const CcOption *option, const gchar *text) {
  if (strcmp(option->name, "kernel") == 0) {
    g_auto(GStrv) presets = gst_preset_get_preset_names(GST_PRESET(filter));
    return find_name(text, presets) ? "; this is a preset, for --preset" : "";
  }
  if (strcmp(option->name, "matrix") == 0)
    return "; --matrix-text accepts numbers with spaces between them";
  if (strcmp(option->name, "roi") == 0)
    return "; \"10,20,300,200; 400,20,300,200\" is two regions";
  if (strcmp(option->name, "target") == 0)
    return "; \"10,20; 400,20\" is two positions";
  return option->type == CC_OPTION_DOUBLE ? ", such as 0.5" : "";
}

static void
set_tuples(GValue *to, const CcTuples *tuples, guint size) {
  g_autofree gchar *text = cc_tuples_to_text(tuples, size);
  gst_value_deserialize(to, text);
}

/* GStreamer parses the coefficients, because they have the syntax of gst-launch. */
static gboolean
read_value(GstElement *filter, GParamSpec *spec, const gchar *text, GValue *to, GError **error) {
  g_auto(Described) described = describe(spec);
  const CcOption *option = &described.option;
  CcOptionValue value = {0};
  g_autoptr(GError) why = NULL;
  gboolean ok;
  g_value_init(to, spec->value_type);
  if (option->type == CC_OPTION_COEFFICIENTS) {
    ok = !elements_is_nested(text) && gst_value_deserialize_with_pspec(to, text, spec);
    if (!ok)
      why = g_error_new(APP_USAGE_ERROR, 0, "%s is needed", option->valid);
  } else {
    ok = cc_option_parse(option, text, &value, NULL, &why);
  }
  if (!ok) {
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const CcChoice *choice = described.choices; choice && choice->name; choice++)
      if (!cc_option_is_former(option, choice))
        g_ptr_array_add(names, (gpointer)choice->name);
    g_ptr_array_add(names, NULL);
    g_autofree gchar *meant = suggest_text(text, (gchar **)names->pdata);
    g_set_error(error, APP_USAGE_ERROR, 0, "--%s \"%s\": %s%s%s", spec->name, text, why->message,
                meant, hint(filter, option, text));
    return FALSE;
  }
  if (G_VALUE_HOLDS_STRING(to))
    g_value_set_string(to, text);
  else if (option->type == CC_OPTION_TUPLES)
    set_tuples(to, &value.tuples, (guint)option->max);
  else if (G_VALUE_HOLDS_DOUBLE(to))
    g_value_set_double(to, value.number);
  else if (G_VALUE_HOLDS_INT(to))
    g_value_set_int(to, value.whole);
  else if (G_VALUE_HOLDS_BOOLEAN(to))
    g_value_set_boolean(to, value.whole);
  else if (G_VALUE_HOLDS_UINT(to))
    g_value_set_uint(to, value.color);
  else if (G_VALUE_HOLDS_ENUM(to))
    g_value_set_enum(to, value.whole);
  return TRUE;
}

gboolean
filter_set(GstElement *filter, const gchar *property, const gchar *text, GError **error) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(filter), property);
  if (!spec || !(spec->flags & G_PARAM_WRITABLE) || spec->owner_type != G_OBJECT_TYPE(filter)) {
    g_autofree GParamSpec **all = filter_list_properties(filter);
    g_autoptr(GString) names = g_string_new(NULL);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (guint i = 0; all[i]; i++) {
      g_string_append_printf(names, "%s%s", i ? ", " : "", all[i]->name);
      g_ptr_array_add(list, (gpointer)all[i]->name);
    }
    g_ptr_array_add(list, NULL);
    g_autofree gchar *meant = suggest_text(property, (gchar **)list->pdata);
    g_set_error(error, APP_USAGE_ERROR, 0,
                "--set %s=%s: there is no property \"%s\"; there are: %s%s", property, text,
                property, names->str, meant);
    return FALSE;
  }
  g_auto(GValue) value = G_VALUE_INIT;
  if (!read_value(filter, spec, text, &value, error))
    return FALSE;
  g_object_set_property(G_OBJECT(filter), property, &value);
  return TRUE;
}

static gboolean
load_preset(GstElement *filter, const gchar *preset, GError **error) {
  g_autoptr(GstBus) bus = gst_bus_new();
  gst_element_set_bus(filter, bus);
  g_auto(GStrv) names = gst_preset_get_preset_names(GST_PRESET(filter));
  const gchar *name = find_name(preset, names);
  const gboolean loaded = gst_preset_load_preset(GST_PRESET(filter), name ? name : preset);
  gst_element_set_bus(filter, NULL);
  if (loaded)
    return TRUE;
  g_autoptr(GstMessage) message = gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING);
  if (message) {
    g_autoptr(GError) why = NULL;
    gst_message_parse_warning(message, &why, NULL);
    g_set_error(error, APP_USAGE_ERROR, 0, "--preset \"%s\": %s", preset, why->message);
    return FALSE;
  }
  g_autofree gchar *meant = suggest_text(preset, names);
  g_autofree gchar *list = names ? g_strjoinv(", ", names) : g_strdup("none");
  GParamSpec *kernel = g_object_class_find_property(G_OBJECT_GET_CLASS(filter), "kernel");
  const GEnumValue *same = g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(kernel)->enum_class, preset);
  g_set_error(error, APP_USAGE_ERROR, 0,
              "--preset \"%s\": there is no such preset; there are: %s%s%s", preset, list, meant,
              same ? "; this is a kernel, for --kernel" : "");
  return FALSE;
}

gboolean
filter_options_apply(const FilterOptions *self, GstElement *filter, GError **error) {
  gboolean needs_metas = FALSE;
  if (self->preset && !load_preset(filter, self->preset, error))
    return FALSE;
  for (guint i = 0; i < self->settings->len; i++) {
    const Setting *setting = &g_array_index(self->settings, Setting, i);
    if (!filter_set(filter, setting->property, setting->text, error))
      return FALSE;
  }
  g_object_get(filter, "roi-meta", &needs_metas, NULL);
  if (!needs_metas)
    return TRUE;
  g_set_error(error, APP_USAGE_ERROR, 0,
              "roi-meta=true filters regions that a detector attaches to frames, and the command "
              "has no detector; --set=roi-meta=false --roi sets regions");
  return FALSE;
}

GstElement *
filter_options_make(const FilterOptions *self, GError **error) {
  g_autoptr(GstElement) filter = gst_object_ref_sink(gst_element_factory_make(ELEMENT, "filter"));
  if (!filter_options_apply(self, filter, error))
    return NULL;
  return g_steal_pointer(&filter);
}

gboolean
filter_options_weighs_alpha(const FilterOptions *self, GstElement *filter) {
  gint kernel, chroma_kernel, response, border, alpha, chroma_size;
  CcFilter weighted = {.alpha = CC_ALPHA_WEIGHTED};
  for (guint i = 0; i < self->settings->len; i++)
    if (g_str_equal(g_array_index(self->settings, Setting, i).property, "alpha"))
      return FALSE;
  g_object_get(filter, "kernel", &kernel, "chroma-kernel", &chroma_kernel, "chroma-size",
               &chroma_size, "response", &response, "border", &border, "alpha", &alpha, "scale",
               &weighted.scale, "bias", &weighted.bias, NULL);
  if (kernel == CC_KERNEL_CUSTOM || alpha != CC_ALPHA_COPY)
    return FALSE;
  weighted.kernel = cc_options_named_kernel(kernel);
  weighted.chroma_kernel = cc_options_named_kernel(chroma_kernel);
  weighted.chroma_size = (guint)chroma_size;
  weighted.response = (CcResponse)response;
  weighted.border = (CcBorder)border;
  return weighted.kernel->klass == CC_KERNEL_BLUR && cc_filter_check(&weighted, NULL);
}

/* ---- settings as one line ---- */

const gchar *
filter_options_kernel_file(const FilterOptions *self) {
  const gchar *path = NULL;
  for (guint i = 0; i < self->settings->len; i++) {
    const Setting *setting = &g_array_index(self->settings, Setting, i);
    if (g_str_equal(setting->property, KERNEL_FILE))
      path = setting->text;
  }
  return path;
}

/* A switch has no value, so its text names the value for --set. */
static void
append_word(GString *text, const gchar *name, const gchar *value, gboolean is_switch) {
  g_autofree gchar *word = g_strdup_printf(is_switch ? "--set=%s=%s" : "--%s=%s", name, value);
  g_autofree gchar *quoted = text_quote(word);
  g_string_append_printf(text, "%s%s", text->len ? " " : "", quoted);
}

gchar *
filter_options_to_text(const FilterOptions *self) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (self->preset)
    append_word(text, "preset", self->preset, FALSE);
  for (guint i = 0; i < self->settings->len; i++) {
    const Setting *setting = &g_array_index(self->settings, Setting, i);
    const GParamSpec *spec =
        g_object_class_find_property(G_OBJECT_GET_CLASS(self->model), setting->property);
    append_word(text, setting->property, setting->text, spec && G_IS_PARAM_SPEC_BOOLEAN(spec));
  }
  return g_strdup(text->str);
}

/* TRUE if a property chooses where frames are filtered or how many are in flight. These properties
 * do not change the result, so they are not in the engine's table of options. */
static gboolean
is_placement(const gchar *property) {
  return cc_options_find(property) == cc_n_options;
}

/* Returns the text of a value for filter_digest. An enum value may have several names, and its
 * former names come last. The last name is returned, so that a renamed value keeps its digest and
 * jobs of older versions can be continued. */
static gchar *
value_text(const GParamSpec *spec, const GValue *value) {
  if (!G_IS_PARAM_SPEC_ENUM(spec))
    return gst_value_serialize(value);
  const GEnumClass *klass = G_PARAM_SPEC_ENUM(spec)->enum_class;
  const gchar *name = NULL;
  for (guint i = 0; i < klass->n_values; i++)
    if (klass->values[i].value == g_value_get_enum(value))
      name = klass->values[i].value_nick;
  return g_strdup(name);
}

/* TRUE for an option that version 0.1 did not have and that has its default. The digest leaves it
 * out, so that jobs of 0.1 can be continued. */
static gboolean
is_unused_addition(const GParamSpec *spec, const GValue *value) {
  static const gchar *const of_0_1[] = {
      "matrix", "matrix-text", "row",    "column",    "kernel-file", "kernel",       "size",
      "sigma",  "scale",       "bias",   "response",  "border",      "border-value", "chroma",
      "color",  "alpha",       "stride", "algorithm", NULL};
  return !g_strv_contains(of_0_1, spec->name) && g_param_value_defaults((GParamSpec *)spec, value);
}

gchar *
filter_digest(GstElement *filter) {
  g_autofree GParamSpec **specs = filter_list_properties(filter);
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_MD5);
  for (guint i = 0; specs[i]; i++) {
    g_auto(GValue) value = G_VALUE_INIT;
    if (is_placement(specs[i]->name) || g_str_equal(specs[i]->name, KERNEL_FILE))
      continue;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(filter), specs[i]->name, &value);
    if (is_unused_addition(specs[i], &value))
      continue;
    g_autofree gchar *text = value_text(specs[i], &value);
    g_autofree gchar *line = g_strdup_printf("%s=%s\n", specs[i]->name, text ? text : "");
    g_checksum_update(checksum, (const guchar *)line, -1);
  }
  return g_strdup(g_checksum_get_string(checksum));
}

/* TRUE for the properties that have no effect in the command: frames of a file have no metas, and
 * the command reads the figures of each frame. */
static gboolean
is_unused(const gchar *property) {
  static const gchar *const unused[] = {"roi-meta", "roi-type", "measure-interval", NULL};
  return g_strv_contains(unused, property);
}

/* ---- options ---- */

/* The callback of each option that is named like a property. `text` is NULL for a switch. */
static gboolean
take_property(const gchar *option, const gchar *text, gpointer user_data, GError **error) {
  FilterOptions *self = user_data;
  const gchar *property = strcmp(option, "-k") == 0 ? "kernel" : option + strlen("--");
  const Setting setting = {g_strdup(property), g_strdup(text ? text : "true")};
  g_array_append_val(self->settings, setting);
  return TRUE;
}

static gboolean
take_set(const gchar *option, const gchar *text, gpointer user_data, GError **error) {
  FilterOptions *self = user_data;
  const gchar *equals = strchr(text, '=');
  if (!equals || equals == text) {
    g_set_error(error, APP_USAGE_ERROR, 0, "--set \"%s\": expected PROPERTY=VALUE, such as size=5",
                text);
    return FALSE;
  }
  const Setting setting = {g_strndup(text, (gsize)(equals - text)), g_strdup(equals + 1)};
  g_strdelimit(setting.property, "_", '-'); /* GObject accepts _ and - in names */
  g_array_append_val(self->settings, setting);
  return TRUE;
}

static gboolean
take_preset(const gchar *option, const gchar *text, gpointer user_data, GError **error) {
  FilterOptions *self = user_data;
  g_free(self->preset);
  self->preset = g_strdup(text);
  return TRUE;
}

/* Returns the description of an option in the help: "blurb (default): values" for an enum, "blurb;
 * values" for a number, and the blurb for all other types. */
static gchar *
describe_property(const FilterOptions *self, GParamSpec *spec) {
  g_auto(Described) described = describe(spec);
  const gchar *blurb = g_param_spec_get_blurb(spec);
  const CcOptionType type = described.option.type;
  if (type == CC_OPTION_COEFFICIENTS || type == CC_OPTION_TEXT || type == CC_OPTION_BOOLEAN ||
      type == CC_OPTION_COLOR || type == CC_OPTION_TUPLES)
    return g_strdup(blurb);
  g_autofree gchar *values = cc_option_describe_values(&described.option);
  if (type != CC_OPTION_CHOICE)
    return g_strdup_printf("%s; %s", blurb, values);
  gint value;
  g_object_get(self->model, spec->name, &value, NULL);
  const CcChoice *choice = cc_option_find_choice_of(&described.option, value);
  const gchar *of_images =
      g_str_equal(spec->name, "alpha") ? "; apply and plan: weighted for images and blurs" : "";
  return g_strdup_printf("%s (%s%s): %s", blurb, choice->name, of_images, values);
}

FilterOptions *
filter_options_new(GError **error) {
  GstElement *model = gst_element_factory_make(ELEMENT, NULL);
  if (!model) {
    g_set_error(error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
                "GStreamer does not find the element " ELEMENT "; `cudaconv doctor` says why");
    return NULL;
  }
  FilterOptions *self = g_new0(FilterOptions, 1);
  self->model = gst_object_ref_sink(model);
  self->properties = filter_list_properties(model);
  self->settings = g_array_new(FALSE, FALSE, sizeof(Setting));
  g_array_set_clear_func(self->settings, (GDestroyNotify)clear_setting);
  self->descriptions = g_ptr_array_new_with_free_func(g_free);
  return self;
}

void
filter_options_free(FilterOptions *self) {
  g_free(self->entries);
  g_ptr_array_unref(self->descriptions);
  g_array_unref(self->settings);
  g_free(self->properties);
  gst_object_unref(self->model);
  g_free(self->preset);
  g_free(self);
}

gchar **
filter_options_list_formats(const FilterOptions *self) {
  g_autoptr(GstPad) sink = gst_element_get_static_pad(self->model, "sink");
  g_autoptr(GstCaps) caps = gst_pad_get_pad_template_caps(sink);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(caps, 0), "format");
  const guint n = gst_value_list_get_size(formats);
  gchar **names = g_new0(gchar *, n + 1);
  for (guint i = 0; i < n; i++)
    names[i] = g_value_dup_string(gst_value_list_get_value(formats, i));
  return names;
}

/* Without `all`, adds options only for the properties for which is_placement returns TRUE. */
static void
add_properties(FilterOptions *self, GOptionContext *context, gboolean all) {
  static const gchar *const placeholders[] = {
      [CC_OPTION_INT] = "N",       [CC_OPTION_DOUBLE] = "X",    [CC_OPTION_BOOLEAN] = NULL,
      [CC_OPTION_COLOR] = "COLOR", [CC_OPTION_CHOICE] = "NAME", [CC_OPTION_COEFFICIENTS] = "ARRAY",
      [CC_OPTION_TUPLES] = "LIST", [CC_OPTION_TEXT] = "TEXT"};
  g_autoptr(GArray) entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
  for (guint i = 0; self->properties[i]; i++) {
    GParamSpec *spec = self->properties[i];
    if (is_unused(spec->name) || (!all && !is_placement(spec->name)))
      continue;
    g_auto(Described) described = describe(spec);
    gchar *description = describe_property(self, spec);
    g_ptr_array_add(self->descriptions, description);
    const GOptionEntry entry = {
        spec->name, strcmp(spec->name, "kernel") == 0 ? 'k' : 0,
        /* bytes; GLib does not convert the text */
        described.option.type == CC_OPTION_BOOLEAN ? G_OPTION_FLAG_NO_ARG : G_OPTION_FLAG_FILENAME,
        G_OPTION_ARG_CALLBACK, take_property, description, placeholders[described.option.type]};
    g_array_append_val(entries, entry);
  }
  g_free(self->entries);
  self->entries = (GOptionEntry *)g_array_free(g_steal_pointer(&entries), FALSE);
  g_option_group_add_entries(g_option_context_get_main_group(context), self->entries);
}

gchar *
filter_options_convert(const gchar *argument) {
  const gchar *equals = strchr(argument, '=');
  if (!g_str_has_prefix(argument, "--") || !equals)
    return g_strdup(argument);
  const gchar *setting = argument + strlen("--");
  g_autofree gchar *name = g_strndup(setting, (gsize)(equals - setting));
  const guint i = cc_options_find(name);
  const gboolean is_switch = i < cc_n_options && cc_options[i].type == CC_OPTION_BOOLEAN;
  return is_switch ? g_strdup_printf("--set=%s", setting) : g_strdup(argument);
}

void
filter_options_add(FilterOptions *self, GOptionContext *context) {
  const GOptionEntry common[] = {
      {"preset", 'p', G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, take_preset,
       "Start from a preset (`cudaconv presets`); all other options change it", "NAME"},
      {"set", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, take_set,
       "Set a property by its name, as its own option does", "PROPERTY=VALUE"},
      {0}};
  g_option_group_add_entries(g_option_context_get_main_group(context), common);
  add_properties(self, context, TRUE);
}

void
filter_options_add_where(FilterOptions *self, GOptionContext *context) {
  add_properties(self, context, FALSE);
}

GstElement *
filter_make_from_text(const gchar *text, const gchar *kernel_file, GError **error) {
  g_auto(GStrv) words = NULL;
  g_autofree gchar *line = g_strconcat("settings ", text, NULL);
  g_autoptr(FilterOptions) options = filter_options_new(error);
  if (!options || !g_shell_parse_argv(line, NULL, &words, error))
    return NULL;
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_help_enabled(context, FALSE);
  g_option_context_set_main_group(context, g_option_group_new("settings", "", "", options, NULL));
  filter_options_add(options, context);
  if (!g_option_context_parse_strv(context, &words, error))
    return NULL;
  if (words[1]) {
    app_refuse(error, "settings: \"%s\" is not --PROPERTY=VALUE", words[1]);
    return NULL;
  }
  for (guint i = 0; kernel_file && i < options->settings->len; i++) {
    Setting *setting = &g_array_index(options->settings, Setting, i);
    if (g_str_equal(setting->property, KERNEL_FILE)) {
      g_free(setting->text);
      setting->text = g_strdup(kernel_file);
    }
  }
  return filter_options_make(options, error);
}
