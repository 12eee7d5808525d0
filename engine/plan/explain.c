/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "explain.h"

/* Appends the components of a plane whose bits are set in `mask`: "R G B". */
static void
explain_components(GString *line, const CcPlaneLayout *layout, guint mask) {
  static const gchar *const names[] = {
      [CC_ROLE_GREY] = "grey", [CC_ROLE_RED] = "R",   [CC_ROLE_GREEN] = "G",
      [CC_ROLE_BLUE] = "B",    [CC_ROLE_LUMA] = "Y",  [CC_ROLE_CB] = "U",
      [CC_ROLE_CR] = "V",      [CC_ROLE_ALPHA] = "A", [CC_ROLE_PADDING] = "x",
  };
  const gchar *space = "";
  for (guint i = 0; i < layout->step; i++)
    if (mask >> i & 1) {
      g_string_append_printf(line, "%s%s", space, names[layout->role[i]]);
      space = " ";
    }
  if (mask >> layout->step) /* this bit is set only if pixels are filtered as their luma */
    g_string_append_printf(line, "%spassthrough component", space);
}

void
cc_explain_repetition(GString *line, guint number) {
  if (number > 1)
    g_string_append_printf(line, "repetition %u: ", number);
}

void
cc_explain_pass(GString *line, const CcPlan *plan, const CcPass *pass) {
  const CcPlaneLayout *layout = &plan->layout.plane[pass->plane];
  const struct {
    const gchar *verb;
    guint mask;
  } fates[] = {{"filter", pass->filter_mask}, {"copy", pass->copy_mask}, {"fill", pass->fill_mask}};
  const gchar *comma = "";
  if (plan->is_inner) {
    g_string_append_printf(line, "%s plane %u of products and weights",
                           pass->filter_mask ? "filter" : "copy", pass->plane);
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS(fates); i++) {
    if (!fates[i].mask)
      continue;
    g_string_append_printf(line, "%s%s ", comma, fates[i].verb);
    if (!*comma)
      g_string_append_printf(line, "plane %u (", pass->plane);
    explain_components(line, layout, fates[i].mask);
    if (!*comma)
      g_string_append_c(line, ')');
    comma = ", ";
  }
}
