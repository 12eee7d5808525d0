/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One option: its name and the values that it accepts. Properties of the element, options of the
 * command and the documents are made from tables of options. options.h has the table of all options
 * that affect pixels. */

#include <glib.h>
#include "error.h"
#include "kernel/coefficients.h"
#include "tuples.h"

G_BEGIN_DECLS

/* The types up to CHOICE are scalars. */
typedef enum {
  CC_OPTION_INT,
  CC_OPTION_DOUBLE,
  CC_OPTION_BOOLEAN,
  CC_OPTION_COLOR,        /* alpha, red, green and blue as 0xAARRGGBB */
  CC_OPTION_CHOICE,       /* one of several names */
  CC_OPTION_COEFFICIENTS, /* a list of numbers, or several rows of them */
  CC_OPTION_TUPLES,       /* a list of tuples, each of `max` whole numbers */
  CC_OPTION_TEXT,
} CcOptionType;

typedef struct {
  gint value;
  const gchar *name, *text; /* the name as users write it, and one line that explains the choice */
} CcChoice;

typedef struct CcOption {
  const gchar *name; /* as users write it: lower case letters and dashes */
  const gchar *nick; /* for user interfaces */
  const gchar *text; /* one line that explains the option */
  CcOptionType type;
  /* INT and DOUBLE: the range of values. COEFFICIENTS: `max` is the maximum length of a list.
   * TUPLES: `max` is the length of a tuple. TEXT: `max` is the maximum number of bytes, or 0.
   * `fallback` is the default of every type but CHOICE, TUPLES and TEXT. */
  gdouble min, max, fallback;
  const gchar *unit;          /* unit of a number, in the singular; NULL: none */
  gboolean (*is_valid)(gint); /* INT only: whether a number in the range is valid; NULL: all are */
  /* a description of the accepted values for people, such as "1, 2 or 4"; NULL: the description is
   * made from the type and the range */
  const gchar *valid;
  /* CHOICE only: returns the array of choices, which ends with an entry without a name */
  const CcChoice *(*choices)(const struct CcOption *self);
  const gchar *default_choice; /* CHOICE only: the name of the default */
  /* Offset of the value in the struct of options. The value is a gdouble, a CcTuples, a GQuark of
   * the text, or an integer of 4 bytes. */
  gsize offset;
} CcOption;

/* The value of an option. Only the members for the option's type are valid. */
typedef struct {
  gint whole;        /* the value of an INT, a BOOLEAN or a CHOICE */
  guint color;       /* the value of a COLOR */
  gdouble number;    /* the value of a DOUBLE */
  const gchar *text; /* the text of a TEXT or COEFFICIENTS; NULL: none */
  /* the numbers of COEFFICIENTS; NULL: only the text is known */
  const CcCoefficients *coefficients;
  CcTuples tuples; /* the value of TUPLES */
} CcOptionValue;

/* Reads the value from `text`, and checks it as cc_option_check does. Names of choices may be in
 * upper case. A color is 0xAARRGGBB, or #RRGGBB if it is opaque. `value` refers to `text` and to
 * `coefficients`, which must not be NULL for an option of type COEFFICIENTS. */
gboolean cc_option_parse(const CcOption *self, const gchar *text, CcOptionValue *value,
                         CcCoefficients *coefficients, GError **error);

/* Whether the option accepts the value. If not, the error is CC_ERROR_INVALID and names the
 * accepted values, as in "a number from 0 to 1000 is needed". */
gboolean cc_option_check(const CcOption *self, const CcOptionValue *value, GError **error);

/* Describes the accepted values, as in "a number from 0 to 1000" or "copy, filter, opaque". Former
 * names of choices are left out. The caller frees the text. */
gchar *cc_option_describe_values(const CcOption *self);

/* The choice with a name or a value, or NULL. Several choices may have the same value. The first of
 * them has the current name, the later ones have former names. */
const CcChoice *cc_option_find_choice(const CcOption *self, const gchar *name);
const CcChoice *cc_option_find_choice_of(const CcOption *self, gint value);

gboolean cc_option_is_former(const CcOption *self, const CcChoice *choice);

/* The default of an option. A list is empty, and a text is NULL. */
CcOptionValue cc_option_default(const CcOption *self);

/* Writes the value of an option into the struct at `base`, or reads it from there. Not for options
 * that define the custom kernel. */
void cc_option_store(const CcOption *self, gpointer base, const CcOptionValue *value);
CcOptionValue cc_option_load(const CcOption *self, gconstpointer base);

/* The bytes that such a value takes in the struct of options. */
gsize cc_option_size(const CcOption *self);

G_END_DECLS
