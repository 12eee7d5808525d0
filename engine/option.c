/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "option.h"

#include <string.h>
#include "number.h"

const CcChoice *
cc_option_find_choice(const CcOption *self, const gchar *name) {
  for (const CcChoice *choice = self->choices(self); choice->name; choice++)
    if (g_ascii_strcasecmp(choice->name, name) == 0)
      return choice;
  return NULL;
}

const CcChoice *
cc_option_find_choice_of(const CcOption *self, gint value) {
  for (const CcChoice *choice = self->choices(self); choice->name; choice++)
    if (choice->value == value)
      return choice;
  return NULL;
}

gboolean
cc_option_is_former(const CcOption *self, const CcChoice *choice) {
  return cc_option_find_choice_of(self, choice->value) != choice;
}

CcOptionValue
cc_option_default(const CcOption *self) {
  CcOptionValue value = {.number = self->fallback};
  if (self->type == CC_OPTION_COLOR)
    value.color = (guint)self->fallback;
  else
    value.whole = (gint)self->fallback;
  if (self->type == CC_OPTION_CHOICE)
    value.whole = cc_option_find_choice(self, self->default_choice)->value;
  return value;
}

gchar *
cc_option_describe_values(const CcOption *self) {
  const gboolean whole = self->type == CC_OPTION_INT;
  g_autoptr(GString) text = g_string_new(self->valid);
  if (self->valid)
    return g_string_free(g_steal_pointer(&text), FALSE);
  switch (self->type) {
  case CC_OPTION_INT:
  case CC_OPTION_DOUBLE:
    if (whole && self->max == G_MAXINT)
      g_string_append_printf(text, "a whole number from %.15g up", self->min);
    else
      g_string_append_printf(text, "a %s from %.15g to %.15g", whole ? "whole number" : "number",
                             self->min, self->max);
    break;
  case CC_OPTION_BOOLEAN:
    g_string_append(text, "true or false");
    break;
  case CC_OPTION_COLOR:
    g_string_append(text, "a color as 0xAARRGGBB, #AARRGGBB or #RRGGBB");
    break;
  case CC_OPTION_CHOICE:
    for (const CcChoice *choice = self->choices(self); choice->name; choice++)
      if (!cc_option_is_former(self, choice))
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", choice->name);
    break;
  case CC_OPTION_COEFFICIENTS:
    g_string_append(text, "coefficients");
    break;
  case CC_OPTION_TUPLES:
    g_string_append(text, self->max == 2 ? "<x, y>" : "<x, y, width, height>");
    break;
  case CC_OPTION_TEXT:
    if (self->max > 0)
      g_string_append_printf(text, "a text of up to %.15g bytes", self->max);
    else
      g_string_append(text, "text");
    break;
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

static gboolean
refuse(const CcOption *self, GError **error) {
  g_autofree gchar *values = cc_option_describe_values(self);
  g_set_error(error, CC_ERROR, CC_ERROR_INVALID, "%s%s is needed",
              self->type == CC_OPTION_CHOICE ? "one of " : "", values);
  return FALSE;
}

gboolean
cc_option_check(const CcOption *self, const CcOptionValue *value, GError **error) {
  gboolean ok = TRUE;
  if (self->type == CC_OPTION_INT)
    ok = value->whole >= self->min && value->whole <= self->max &&
         (!self->is_valid || self->is_valid(value->whole));
  else if (self->type == CC_OPTION_DOUBLE) /* both comparisons are FALSE for NaN */
    ok = value->number >= self->min && value->number <= self->max;
  else if (self->type == CC_OPTION_CHOICE)
    ok = cc_option_find_choice_of(self, value->whole) != NULL;
  else if (self->type == CC_OPTION_TEXT && self->max > 0)
    ok = !value->text || strlen(value->text) <= self->max;
  return ok || refuse(self, error);
}

static gboolean
parse_boolean(const gchar *text, gint *value) {
  static const gchar *const words[] = {"false", "no", "0", "true", "yes", "1"};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    if (g_ascii_strcasecmp(text, words[i]) == 0) {
      *value = i >= G_N_ELEMENTS(words) / 2;
      return TRUE;
    }
  return FALSE;
}

static gboolean
parse_color(const gchar *text, guint *value) {
  enum { RGB_DIGITS = 6, ARGB_DIGITS = 8 };
  const gboolean is_rgb = *text == '#';
  const gboolean is_hex = is_rgb || g_ascii_strncasecmp(text, "0x", 2) == 0;
  const gchar *digits = text + (is_rgb ? 1 : is_hex ? 2 : 0);
  guint64 number;
  if (!g_ascii_string_to_unsigned(digits, is_hex ? 16 : 10, 0, G_MAXUINT32, &number, NULL) ||
      (is_rgb && strlen(digits) != RGB_DIGITS && strlen(digits) != ARGB_DIGITS) ||
      (is_hex && !is_rgb && number > 0 && strlen(digits) != ARGB_DIGITS))
    return FALSE;
  *value = (guint)number | (is_rgb && strlen(digits) == RGB_DIGITS ? 0xff000000 : 0);
  return TRUE;
}

gboolean
cc_option_parse(const CcOption *self, const gchar *text, CcOptionValue *value,
                CcCoefficients *coefficients, GError **error) {
  const CcChoice *choice = NULL;
  *value = (CcOptionValue){.text = text, .coefficients = coefficients};
  switch (self->type) {
  case CC_OPTION_INT:
    if (!cc_integer_parse(text, &value->whole))
      return refuse(self, error);
    break;
  case CC_OPTION_DOUBLE:
    if (!cc_number_parse(text, NULL, &value->number))
      return refuse(self, error);
    break;
  case CC_OPTION_BOOLEAN:
    if (!parse_boolean(text, &value->whole))
      return refuse(self, error);
    break;
  case CC_OPTION_COLOR:
    if (!parse_color(text, &value->color))
      return refuse(self, error);
    break;
  case CC_OPTION_CHOICE:
    if (!(choice = cc_option_find_choice(self, text)))
      return refuse(self, error);
    value->whole = choice->value;
    break;
  case CC_OPTION_COEFFICIENTS:
    return cc_coefficients_parse(coefficients, text, error);
  case CC_OPTION_TUPLES:
    return cc_tuples_parse(&value->tuples, (guint)self->max, text, error);
  case CC_OPTION_TEXT:
    break;
  }
  return cc_option_check(self, value, error);
}

void
cc_option_store(const CcOption *self, gpointer base, const CcOptionValue *value) {
  gpointer field = (gchar *)base + self->offset;
  if (self->type == CC_OPTION_DOUBLE)
    *(gdouble *)field = value->number;
  else if (self->type == CC_OPTION_COLOR)
    *(guint *)field = value->color;
  else if (self->type == CC_OPTION_TUPLES)
    *(CcTuples *)field = value->tuples;
  else if (self->type == CC_OPTION_TEXT)
    *(GQuark *)field = value->text && *value->text ? g_quark_from_string(value->text) : 0;
  else
    *(gint *)field = value->whole;
}

CcOptionValue
cc_option_load(const CcOption *self, gconstpointer base) {
  gconstpointer field = (const gchar *)base + self->offset;
  if (self->type == CC_OPTION_DOUBLE)
    return (CcOptionValue){.number = *(const gdouble *)field};
  if (self->type == CC_OPTION_COLOR)
    return (CcOptionValue){.color = *(const guint *)field};
  if (self->type == CC_OPTION_TUPLES)
    return (CcOptionValue){.tuples = *(const CcTuples *)field};
  if (self->type == CC_OPTION_TEXT)
    return (CcOptionValue){.text = g_quark_to_string(*(const GQuark *)field)};
  return (CcOptionValue){.whole = *(const gint *)field};
}

gsize
cc_option_size(const CcOption *self) {
  return self->type == CC_OPTION_DOUBLE   ? sizeof(gdouble)
         : self->type == CC_OPTION_TUPLES ? sizeof(CcTuples)
                                          : sizeof(gint);
}
