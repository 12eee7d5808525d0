/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One option: a name, and which values it takes. Properties of the element, options of the command
 * and documents are made from tables of these; options.h has the table of what affects pixels. */

#include <glib.h>
#include "error.h"
#include "kernel/coefficients.h"

G_BEGIN_DECLS

typedef enum {
  CC_OPTION_INT,
  CC_OPTION_DOUBLE,
  CC_OPTION_CHOICE,       /* one of some names */
  CC_OPTION_COEFFICIENTS, /* a list of numbers, or several rows of them */
  CC_OPTION_TEXT,
} CcOptionType;

typedef struct {
  gint value;
  const gchar *name, *text; /* as users write it; one line that explains it */
} CcChoice;

typedef struct CcOption {
  const gchar *name; /* as users write it: lower case letters and dashes */
  const gchar *nick; /* for user interfaces */
  const gchar *text; /* one line that explains it */
  CcOptionType type;
  gdouble min, max, fallback; /* of numbers; `fallback` is the default. Of COEFFICIENTS,
                                 max is how many a list may have */
  const gchar *unit;          /* of numbers, in the singular; NULL: they have none */
  gboolean (*is_valid)(gint); /* which of the whole numbers in the range are valid; NULL: all */
  const gchar *valid; /* what it takes, for people, as in "1, 2 or 4"; NULL: what follows from
                         the type and the range */
  /* of CHOICE; after the last comes one without a name */
  const CcChoice *(*choices)(const struct CcOption *self);
  const gchar *default_choice; /* its name */
  gsize offset; /* in the struct that holds the value, of a gint or guint, or of a gdouble */
} CcOption;

/* The value of an option; the field for its type is set. */
typedef struct {
  gint whole;                         /* INT; of CHOICE, the value of the choice */
  gdouble number;                     /* DOUBLE */
  const gchar *text;                  /* TEXT and COEFFICIENTS; NULL: none */
  const CcCoefficients *coefficients; /* COEFFICIENTS; NULL where only the text is known */
} CcOptionValue;

/* Reads the value that `text` stands for, and checks it as cc_option_check does. Names of choices
 * may be in upper case. `value` refers to `text`, and to `coefficients`, which has to be there for
 * an option of COEFFICIENTS. */
gboolean cc_option_parse(const CcOption *self, const gchar *text, CcOptionValue *value,
                         CcCoefficients *coefficients, GError **error);

/* Whether the option takes the value. If it does not, the error is CC_ERROR_INVALID and says what
 * it takes, as in "a number from 0 to 1000 is needed". */
gboolean cc_option_check(const CcOption *self, const CcOptionValue *value, GError **error);

/* Describes the accepted values, as in "a number from 0 to 1000" or "copy, filter, opaque". Former
 * names of choices are left out. The caller frees the text. */
gchar *cc_option_describe_values(const CcOption *self);

/* The choice with a name or a value; NULL: there is none. Several names may have the same value:
 * the first is the current name, the others are former ones. */
const CcChoice *cc_option_find_choice(const CcOption *self, const gchar *name);
const CcChoice *cc_option_find_choice_of(const CcOption *self, gint value);

/* The value that it has by default, of an INT, DOUBLE or CHOICE. */
CcOptionValue cc_option_default(const CcOption *self);

/* Writes the value of an INT, DOUBLE or CHOICE into the struct at `base`, or reads it. */
void cc_option_store(const CcOption *self, gpointer base, const CcOptionValue *value);
CcOptionValue cc_option_load(const CcOption *self, gconstpointer base);

/* The size of such a value. */
gsize cc_option_size(const CcOption *self);

G_END_DECLS
