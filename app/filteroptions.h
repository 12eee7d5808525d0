/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The options that stand for the element's properties: one each, made from the element itself, and
 * --set and --preset. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _FilterOptions FilterOptions;

/* NULL when the element is not installed or its plugin does not load. */
FilterOptions *filter_options_new(GError **error);
void filter_options_free(FilterOptions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FilterOptions, filter_options_free)

/* Adds the options to the main group of the context, which must have been made with `self` as user
 * data. `self` has to live as long as the context. */
void filter_options_add(FilterOptions *self, GOptionContext *context);

/* The formats of frames that the element takes, in its order; free them. */
gchar **filter_options_list_formats(const FilterOptions *self);

/* A new element named "filter" with the values that the options gave: those of the
 * preset first. NULL when one of them is wrong, which the error says with what would be right. */
GstElement *filter_options_make(const FilterOptions *self, GError **error);

/* The same for those properties alone that say where a frame is filtered, not what comes out. */
void filter_options_add_where(FilterOptions *self, GOptionContext *context);

/* Sets those values on an element. */
gboolean filter_options_apply(const FilterOptions *self, GstElement *filter, GError **error);

/* The value of the last --kernel-file, or NULL; not a copy. */
const gchar *filter_options_kernel_file(const FilterOptions *self);

/* The options as one text, as a shell takes them: --preset=soft --sigma=2. Free it. */
gchar *filter_options_to_text(const FilterOptions *self);

/* A new element from such a text, with another kernel file where that is not NULL. */
GstElement *filter_make_from_text(const gchar *text, const gchar *kernel_file, GError **error);

/* A hash of the values of all properties that say what comes out. Free it. */
gchar *filter_digest(GstElement *filter);

/* Sets one property from its text, with a check of its range. */
gboolean filter_set(GstElement *filter, const gchar *property, const gchar *text, GError **error);

/* The properties that can be set, in the element's order; free the array, which ends with NULL. */
GParamSpec **filter_list_properties(GstElement *filter);

G_END_DECLS
