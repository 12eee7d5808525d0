/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The command line options that set properties of the element. One option is generated for each
 * property. The other two options are --set and --preset. */

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _FilterOptions FilterOptions;

/* Returns NULL with an error if the element is not installed or its plugin does not load. */
FilterOptions *filter_options_new(GError **error);
void filter_options_free(FilterOptions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FilterOptions, filter_options_free)

/* Adds the options to the main group of the context. `self` must be the user data of the group and
 * must live as long as the context. */
void filter_options_add(FilterOptions *self, GOptionContext *context);

/* Returns the names of the frame formats that the element accepts, in the order of its caps. Free
 * the array. */
gchar **filter_options_list_formats(const FilterOptions *self);

/* Returns a new element named "filter" with the values of the options. The preset is loaded before
 * the other options are set. Returns NULL with an error if a value is wrong. The error names the
 * accepted values. */
GstElement *filter_options_make(const FilterOptions *self, GError **error);

/* Whether images are filtered with alpha=weighted: no option sets alpha, and `filter`, which has
 * the values of the options, is a blur with a named kernel that allows it. */
gboolean filter_options_weighs_alpha(const FilterOptions *self, GstElement *filter);

/* Like filter_options_add, but adds only the options `backend`, `cuda-device-id`, `n-threads` and
 * `in-flight`, which do not change the result. */
void filter_options_add_where(FilterOptions *self, GOptionContext *context);

/* Sets the properties of an element to the values of the options. Returns FALSE with an error if a
 * value is wrong. */
gboolean filter_options_apply(const FilterOptions *self, GstElement *filter, GError **error);

/* Returns the value of the last --kernel-file, or NULL. `self` owns it. */
const gchar *filter_options_kernel_file(const FilterOptions *self);

/* Returns the options as one line, quoted for a shell: --preset=soft --sigma=2. Free it. */
gchar *filter_options_to_text(const FilterOptions *self);

/* Returns a new element with the options of a line from filter_options_to_text. If `kernel_file` is
 * not NULL, it replaces the kernel file in the line. */
GstElement *filter_make_from_text(const gchar *text, const gchar *kernel_file, GError **error);

/* Returns a hash of the values of all properties except `kernel-file` and the options of
 * filter_options_add_where. Free it. */
gchar *filter_digest(GstElement *filter);

/* Parses a value, checks its range and sets one property. */
gboolean filter_set(GstElement *filter, const gchar *property, const gchar *text, GError **error);

/* Returns the writable properties of the element's own class, in the order of the class. The array
 * ends with NULL. Free it. */
GParamSpec **filter_list_properties(GstElement *filter);

/* Returns an argument of the command. The option of a boolean property is a switch, whose value
 * GLib would ignore, so --NAME=VALUE becomes --set=NAME=VALUE. Other arguments stay as they are. */
gchar *filter_options_convert(const gchar *argument);

G_END_DECLS
