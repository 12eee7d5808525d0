/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists of regions and positions: accepted texts, refused texts, and the text that is written. */

#include <string.h>

#include "engine/error.h"
#include "engine/tuples.h"

enum { POSITION = 2, REGION = 4 };

static void
test_texts(void) {
  static const struct {
    guint size;
    const gchar *text, *written;
  } good[] = {
      {REGION, "", "<>"},
      {REGION, " ;\n<>,", "<>"},
      {REGION, "10,20,300,200", "<10, 20, 300, 200>"},
      {REGION, "10 20 300 200", "<10, 20, 300, 200>"},
      {REGION, "<10, 20, 300, 200>", "<10, 20, 300, 200>"},
      {REGION, "1,2,3,4;5,6,7,8", "<<1, 2, 3, 4>, <5, 6, 7, 8>>"},
      {REGION, "1 2 3 4 ;\n 5 6 7 8;", "<<1, 2, 3, 4>, <5, 6, 7, 8>>"},
      {REGION, "1\t2\t3\t4\r\n5,6,7,8\n", "<<1, 2, 3, 4>, <5, 6, 7, 8>>"},
      {REGION, "<<1,2,3,4>,<5,6,7,8>>", "<<1, 2, 3, 4>, <5, 6, 7, 8>>"},
      {REGION, "< <1, 2, 3, 4>, <5, 6, 7, 8> >", "<<1, 2, 3, 4>, <5, 6, 7, 8>>"},
      {REGION, "0,0,2147483647,0007", "<0, 0, 2147483647, 7>"},
      {POSITION, "3,4", "<3, 4>"},
      {POSITION, "3,4;5,6;7,8", "<<3, 4>, <5, 6>, <7, 8>>"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
    CcTuples tuples, again;
    g_autoptr(GError) error = NULL;
    g_test_message("%s", good[i].text);
    cc_tuples_parse(&tuples, good[i].size, good[i].text, &error);
    g_assert_no_error(error);
    g_autofree gchar *written = cc_tuples_to_text(&tuples, good[i].size);
    g_assert_cmpstr(written, ==, good[i].written);
    g_assert_true(cc_tuples_parse(&again, good[i].size, written, NULL));
    g_assert_cmpmem(&tuples, sizeof tuples, &again, sizeof again);
  }
}

static void
test_refusals(void) {
  static const struct {
    guint size;
    const gchar *text, *message;
  } wrong[] = {
      {REGION, "1", "1 number: each region needs <x, y, width, height>, whole numbers from 0 up"},
      {REGION, "1,2,3", "3 numbers: each region needs"},
      {REGION, "1,2,3,4,5", "5 numbers: each region needs"},
      {REGION, "1,2,3,4,5,6,7,8", "8 numbers: each region needs"},
      {REGION, "1,2,3,4;5", "1 number: each region needs"},
      {REGION, "1,2;3,4", "2 numbers: each region needs"},
      {REGION, "<<1,2>,<3,4>>", "2 numbers: each region needs"},
      {REGION, "1,2,3,x", "\"x\": each region needs"},
      {REGION, "1,2,3,4;x", "\"x\": each region needs"},
      {REGION, "1,2,3,4,x", "\"x\": each region needs"},
      {REGION, "-1,2,3,4", "-1: each region needs"},
      {REGION, "1,2,3,-2147483648", "-2147483648: each region needs"},
      {REGION, "1,2,3,2147483648", "\"2147483648\": each region needs"},
      {REGION, "1.5,2,3,4", "\"1.5\": each region needs"},
      {REGION, "1/2,2,3,4", "\"1/2\": each region needs"},
      {REGION, "0x10,2,3,4", "\"0x10\": each region needs"},
      {REGION, "(1,2,3,4)", "\"(1\": each region needs"},
      {REGION, "\xff\x1b[31m", "each region needs"},
      {POSITION, "1", "1 number: each position needs <x, y>, whole numbers from 0 up"},
      {POSITION, "1,2,3", "3 numbers: each position needs"},
      {POSITION, "left,top", "\"left\": each position needs"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
    CcTuples tuples;
    g_autoptr(GError) error = NULL;
    g_assert_false(cc_tuples_parse(&tuples, wrong[i].size, wrong[i].text, &error));
    g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
    g_test_message("%s", error->message);
    g_assert_true(g_utf8_validate(error->message, -1, NULL));
    g_assert_nonnull(strstr(error->message, wrong[i].message));
  }
}

/* A long word is refused as a whole, also if its first digits are a number. */
static void
test_long_words(void) {
  g_autofree gchar *digits = g_strnfill(100000, '1');
  g_autofree gchar *text = g_strdup_printf("0,0,%s,8", digits);
  CcTuples tuples;
  g_autoptr(GError) error = NULL;
  g_assert_false(cc_tuples_parse(&tuples, REGION, text, &error));
  g_assert_cmpuint(strlen(error->message), <, 300);

  g_autofree gchar *zeros = g_strnfill(1000, '0');
  g_autofree gchar *padded = g_strdup_printf("%s5,0,8,8", zeros);
  g_assert_true(cc_tuples_parse(&tuples, REGION, padded, NULL));
  g_assert_cmpint(tuples.number[0][0], ==, 5);
}

static void
test_many(void) {
  for (guint size = POSITION; size <= REGION; size += 2) {
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < CC_MAX_TUPLES; i++)
      g_string_append(text, size == POSITION ? "1,2;" : "1,2,3,4;");
    CcTuples tuples, again;
    g_assert_true(cc_tuples_parse(&tuples, size, text->str, NULL));
    g_assert_cmpuint(tuples.n, ==, CC_MAX_TUPLES);
    g_autofree gchar *written = cc_tuples_to_text(&tuples, size);
    g_assert_true(cc_tuples_parse(&again, size, written, NULL));
    g_assert_cmpmem(&tuples, sizeof tuples, &again, sizeof again);

    g_autoptr(GError) error = NULL;
    g_string_append(text, "9");
    g_assert_false(cc_tuples_parse(&tuples, size, text->str, &error));
    g_assert_cmpstr(error->message, ==,
                    size == POSITION ? "at most 256 positions are possible"
                                     : "at most 256 regions are possible");
  }
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tuples/texts", test_texts);
  g_test_add_func("/tuples/refusals", test_refusals);
  g_test_add_func("/tuples/long-words", test_long_words);
  g_test_add_func("/tuples/many", test_many);
  return g_test_run();
}
