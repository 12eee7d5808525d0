/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "option.h"

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
  CcOptionValue value = {.whole = (gint)self->fallback, .number = self->fallback};
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
  case CC_OPTION_CHOICE:
    for (const CcChoice *choice = self->choices(self); choice->name; choice++)
      if (!cc_option_is_former(self, choice))
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", choice->name);
    break;
  case CC_OPTION_COEFFICIENTS:
    g_string_append(text, "coefficients");
    break;
  case CC_OPTION_TEXT:
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
  return ok || refuse(self, error);
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
  case CC_OPTION_CHOICE:
    if (!(choice = cc_option_find_choice(self, text)))
      return refuse(self, error);
    value->whole = choice->value;
    break;
  case CC_OPTION_COEFFICIENTS:
    return cc_coefficients_parse(coefficients, text, error);
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
  else
    *(gint *)field = value->whole;
}

CcOptionValue
cc_option_load(const CcOption *self, gconstpointer base) {
  gconstpointer field = (const gchar *)base + self->offset;
  if (self->type == CC_OPTION_DOUBLE)
    return (CcOptionValue){.number = *(const gdouble *)field};
  return (CcOptionValue){.whole = *(const gint *)field};
}

gsize
cc_option_size(const CcOption *self) {
  return self->type == CC_OPTION_DOUBLE ? sizeof(gdouble) : sizeof(gint);
}
