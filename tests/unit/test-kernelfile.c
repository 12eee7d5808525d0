/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel definitions as text: accepted and refused ones, with the messages and their positions. The
 * environment variable KERNELS_INI names the file of named kernels. */

#include "engine/enum_names.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define MUTATIONS 6000

static GPtrArray *
parse(const gchar *text, GError **error) {
  return cc_kernels_parse(text, strlen(text), "here.ini", error);
}

static GPtrArray *
parse_well(const gchar *text) {
  g_autoptr(GError) error = NULL;
  GPtrArray *kernels = parse(text, &error);
  g_assert_no_error(error);
  g_assert_nonnull(kernels);
  return kernels;
}

/* Checks the limits of every definition that the parser accepts. */
static void
check_limits(const GPtrArray *kernels) {
  g_assert_cmpuint(kernels->len, >, 0);
  for (guint i = 0; i < kernels->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(kernels, i);
    g_assert_cmpstr(kernel->name, !=, "");
    g_assert_cmpstr(kernel->name, !=, "custom");
    g_assert_cmpint(kernel->response, !=, CC_RESPONSE_AUTO);
    g_assert_cmpint(kernel->chroma, !=, CC_CHROMA_AUTO);
    g_assert_cmpuint(cc_kernel_get_size(kernel, 0)->size, ==, kernel->default_size);
    for (guint s = 0; s < kernel->n_sizes; s++) {
      const CcKernelSize *size = &kernel->sizes[s];
      g_assert_cmpuint(size->n_matrices, >=, 1);
      g_assert_cmpuint(size->n_matrices, <=, CC_MAX_MATRICES);
      g_assert_true(isfinite(size->scale));
      guint width = size->matrix[0].width, height = size->matrix[0].height;
      g_assert_true(width % 2 == 1 && height % 2 == 1);
      g_assert_cmpuint(MAX(width, height), ==, size->size);
      g_assert_cmpuint(size->size, <=, CC_MAX_MATRIX_SIZE);
      g_assert_cmpuint(size->n_matrices * width * height, <=, CC_MAX_TAPS);
      for (guint m = 0; m < size->n_matrices; m++) {
        g_assert_cmpuint(size->matrix[m].width, ==, width);
        g_assert_cmpuint(size->matrix[m].height, ==, height);
        for (guint c = 0; c < width * height; c++)
          g_assert_true(fabs(size->matrix[m].coeff[c]) <= CC_MAX_COEFF);
      }
    }
  }
}

static gchar *
read_presets(gsize *length) {
  gchar *text = NULL;
  g_autoptr(GError) error = NULL;
  const gchar *path = g_getenv("KERNELS_INI");
  g_assert_nonnull(path);
  g_file_get_contents(path, &text, length, &error);
  g_assert_no_error(error);
  return text;
}

static void
test_presets(void) {
  gsize length;
  g_autofree gchar *text = read_presets(&length);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(text, length, "kernels.ini", &error);
  g_assert_no_error(error);
  check_limits(kernels);
  const GPtrArray *builtin = cc_kernels_builtin();
  g_assert_cmpuint(kernels->len, ==, builtin->len);
  for (guint i = 0; i < kernels->len; i++) {
    const CcKernel *ours = g_ptr_array_index(kernels, i), *theirs = g_ptr_array_index(builtin, i);
    g_assert_cmpstr(ours->name, ==, theirs->name);
    g_assert_cmpuint(ours->n_sizes, ==, theirs->n_sizes);
  }
}

static void
test_defaults(void) {
  g_autoptr(GPtrArray) kernels = parse_well("[a]\nmatrix-3=0 0 0; 0 1 0; 0 0 0\n");
  const CcKernel *kernel = g_ptr_array_index(kernels, 0);
  g_assert_cmpuint(kernels->len, ==, 1);
  g_assert_cmpstr(kernel->name, ==, "a");
  g_assert_cmpint(kernel->klass, ==, CC_KERNEL_PLAIN);
  g_assert_cmpint(kernel->response, ==, CC_RESPONSE_CLAMP);
  g_assert_cmpint(kernel->chroma, ==, CC_CHROMA_FILTER);
  g_assert_false(kernel->gaussian);
  g_assert_cmpuint(kernel->default_size, ==, 3);
  g_assert_cmpfloat(kernel->sizes[0].scale, ==, 0);
}

static void
test_all_keys(void) {
  g_autoptr(GPtrArray) kernels = parse_well("# comment\n"
                                            "[one-2]\n"
                                            "description = Some words \n"
                                            "class = edge\n"
                                            "response = magnitude-l1\n"
                                            "chroma = copy\n"
                                            "gaussian = true\n"
                                            "default-size = 5\n"
                                            "row-5 = 1 2 3 4 5 | 0 0 1/4 0 0\n"
                                            "column-5 = 1 0 0 | 0 1 -1\n"
                                            "matrix-3 = 1,2 , 3 ;\t4 5 6; 7 8 -9e-1 ;\n"
                                            "scale-3 = 1/8\n"
                                            "[second]\n"
                                            "matrix-1=1\n");
  g_assert_cmpuint(kernels->len, ==, 2);
  const CcKernel *kernel = g_ptr_array_index(kernels, 0);
  g_assert_cmpstr(kernel->name, ==, "one-2");
  g_assert_cmpstr(kernel->description, ==, "Some words");
  g_assert_cmpint(kernel->klass, ==, CC_KERNEL_EDGE);
  g_assert_cmpint(kernel->response, ==, CC_RESPONSE_MAGNITUDE_L1);
  g_assert_cmpint(kernel->chroma, ==, CC_CHROMA_COPY);
  g_assert_true(kernel->gaussian);
  g_assert_cmpuint(kernel->n_sizes, ==, 2);
  g_assert_cmpuint(kernel->default_size, ==, 5);

  const CcKernelSize *small = &kernel->sizes[0], *large = &kernel->sizes[1];
  static const gdouble flat[] = {1, 2, 3, 4, 5, 6, 7, 8, -0.9};
  g_assert_cmpuint(small->size, ==, 3);
  g_assert_cmpfloat(small->scale, ==, 0.125);
  g_assert_cmpmem(small->matrix[0].coeff, sizeof flat, flat, sizeof flat);
  g_assert_cmpuint(large->size, ==, 5);
  g_assert_cmpuint(large->n_matrices, ==, 2);
  g_assert_cmpuint(large->matrix[0].width, ==, 5);
  g_assert_cmpuint(large->matrix[0].height, ==, 3);
  g_assert_cmpfloat(large->matrix[0].coeff[4], ==, 5);
  g_assert_cmpfloat(large->matrix[1].coeff[2 * 5 + 2], ==, -0.25);
}

static void
test_class_chroma(void) {
  static const struct {
    const gchar *klass;
    CcChroma chroma;
  } cases[] = {{"plain", CC_CHROMA_FILTER},
               {"blur", CC_CHROMA_FILTER},
               {"sharpen", CC_CHROMA_COPY},
               {"edge", CC_CHROMA_NEUTRAL}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree gchar *text = g_strdup_printf("[k]\nclass=%s\nmatrix-1=1\n", cases[i].klass);
    g_autoptr(GPtrArray) kernels = parse_well(text);
    const CcKernel *kernel = g_ptr_array_index(kernels, 0);
    g_assert_cmpint(kernel->chroma, ==, cases[i].chroma);
  }
}

/* Every response and chroma mode. "auto" and those of Canny are for properties only. */
static void
test_words(void) {
  for (guint i = CC_RESPONSE_AUTO + 1; i < CC_RESPONSE_CANNY; i++)
    for (guint k = CC_CHROMA_AUTO + 1; k < CC_N_CHROMAS; k++) {
      g_autofree gchar *text = g_strdup_printf("[k]\nresponse=%s\nchroma=%s\nmatrix-1=1\n",
                                               cc_response_names[i], cc_chroma_names[k]);
      g_autoptr(GPtrArray) kernels = parse_well(text);
      const CcKernel *kernel = g_ptr_array_index(kernels, 0);
      g_assert_cmpint(kernel->response, ==, i);
      g_assert_cmpint(kernel->chroma, ==, k);
    }
}

/* --- malformed --- */

#define ROW16 "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
#define ROW17 ROW16 " 1"
#define ROW15 "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
#define ROWS4(row) row ";" row ";" row ";" row
#define MATRIX15 ROWS4(ROW15) ";" ROWS4(ROW15) ";" ROWS4(ROW15) ";" ROW15 ";" ROW15 ";" ROW15
#define MATRIX17 ROWS4("1") ";" ROWS4("1") ";" ROWS4("1") ";" ROWS4("1") ";1"
#define TIMES4(text) text text text text
#define LINES1024 TIMES4(TIMES4(TIMES4(TIMES4(TIMES4("[a]\n")))))

#define NUMBER "not a number or a fraction between -1e+08 and 1e+08"
#define NO_COEFFICIENTS "0 coefficients in a row; an odd number is needed"
#define SIZE "the size is not an odd number from 1 to 31"
#define NAME "a name has lower case letters, digits and dashes"
#define ESCAPE "a \"\\\" that is not followed by s, n, t, r or \\"
#define SYNTAX "neither a [name] nor a known key with = and a value nor a # comment"
#define LISTS "\";\" is not allowed here: a row and a column are plain lists"
#define DEFAULT "default-size is not one of the sizes defined here: 1"

/* Malformed texts, with the position that the message must have after the origin, and words that
 * follow. */
static const struct {
  const gchar *name, *text, *place, *part;
} malformed[] = {
    {"empty", "", "", "no kernel is defined; a [name] is missing"},
    {"only-comment", "# nothing\n", "", "no kernel is defined; a [name] is missing"},
    {"no-group", "matrix-3=1\n", ":1:1", "a [name] must come before all else"},
    {"no-group-late", "# one\n\n \t matrix-3=1\n[a]\n", ":3:4",
     "a [name] must come before all else"},
    {"not-a-key-file", "hello\n", ":1:1", "a [name] must come before all else"},
    {"group-unclosed", "[a\nmatrix-1=1\n", ":1:1", SYNTAX},
    {"group-tail", "[a]\nmatrix-1=1\n\n# b\n  [b] c\n", ":5:3", SYNTAX},
    {"group-control", "[a]\nmatrix-1=1\n[b\tc]\n", ":3:1", SYNTAX},
    {"line-alone", "[a]\r\nmatrix-1=1\r\nhello\r\n", ":3:1", SYNTAX},
    {"line-cut", "[a]\nmatrix-1=1\n[b]\r", ":3:1", SYNTAX},
    {"key-empty", "[a]\nmatrix-1=1\n=1\n", ":3:1", SYNTAX},
    {"key-brackets", "[a]\nmatrix-1=1\nb[=1\n", ":3:1", SYNTAX},
    {"encoding", "[a]\nmatrix-1=1\nEncoding=KOI8-R\n", ":3:1", SYNTAX},
    {"not-utf8", "[a]\ndescription=\xc3\xa9t\xe9\n", ":2:15", "not UTF-8 text"},
    {"name-upper-case", "[Big]\nmatrix-1=1\n", ":1:2", NAME},
    {"name-space", "[a b]\nmatrix-1=1\n", ":1:2", NAME},
    {"name-custom", "[custom]\nmatrix-1=1\n", ":1:2", "the name is taken by the user's own matrix"},
    {"second-bad", "[a]\nmatrix-1=1\n  [B] \nmatrix-1=1\n", ":3:4", NAME},
    {"no-matrix", "[a]\ndescription=x\n", ":1:2", "matrix-N, or row-N and column-N, is missing"},
    {"unknown-key", "[a]\nmatrix-1=1\ncolor=red\n", ":3:1", "no such key; there are description, "},
    {"class", "[a]\nclass=soft\nmatrix-1=1\n", ":2:7",
     "class is not one of plain, blur, sharpen, edge"},
    {"response", "[a]\nresponse= auto\nmatrix-1=1\n", ":2:11",
     "response is not one of clamp, absolute, "},
    {"response of canny", "[a]\nresponse=canny\nmatrix-1=1\n", ":2:10",
     "response is not one of clamp, absolute, offset, magnitude, magnitude-l1, direction"},
    {"chroma", "[a]\nchroma=\nmatrix-1=1\n", ":2:8", "chroma is not one of filter, copy, neutral"},
    {"gaussian", "[a]\ngaussian=maybe\nmatrix-1=1\n", ":2:10",
     "gaussian is not one of false, true"},
    {"escape", "[a]\nclass=ed\\qge\nmatrix-1=1\n", ":2:9", ESCAPE},
    {"escape-description", "[a]\ndescription=\\s\\\\50\\%\nmatrix-1=1\n", ":2:19", ESCAPE},
    {"escape-column", "[a]\nrow-3=1 2 1\ncolumn-3=1 2 1\\\n", ":3:15", ESCAPE},
    {"size-even", "[a]\nmatrix-4=1\n", ":2:8", SIZE},
    {"size-zero", "[a]\nmatrix-0=1\n", ":2:8", SIZE},
    {"size-zero-first", "[a]\nmatrix-03=1 2 1\n", ":2:8", SIZE},
    {"size-large", "[a]\nmatrix-33=1\n", ":2:8", SIZE},
    {"size-negative", "[a]\nmatrix--3=1\n", ":2:8", SIZE},
    {"size-huge", "[a]\nmatrix-99999999999999999999=1\n", ":2:8", SIZE},
    {"size-text", "[a]\nmatrix-x=1\n", ":2:8", SIZE},
    {"size-missing", "[a]\nmatrix-=1\n", ":2:8", SIZE},
    {"size-of-column", "[a]\nmatrix-1=1\ncolumn-x=1\n", ":3:8", SIZE},
    {"size-of-scale", "[a]\nmatrix-1=1\nscale-2=1\n", ":3:7", SIZE},
    {"size-other", "[a]\nmatrix-5=1 2 3; 4 5 6; 7 8 9\n", ":2:10",
     "3 columns and 3 rows; the larger number must be the size, 5"},
    {"size-twice", "[a]\nmatrix-1=1\nrow-1=1\ncolumn-1=1\n", ":3:1", "size 1 is given twice"},
    {"size-again", "[a]\nmatrix-1=1\n[b]\nmatrix-1=1\n[a]\nmatrix-1=2\n", ":6:1",
     "size 1 is given twice"},
    {"matrix-empty", "[a]\nmatrix-3=\n", ":2:10", NO_COEFFICIENTS},
    {"matrix-semicolons", "[a]\nmatrix-3=;;\n", ":2:10", NO_COEFFICIENTS},
    {"row-even", "[a]\nmatrix-3=1 2; 3 4\n", ":2:10", "2 coefficients in a row; an odd number"},
    {"rows-even", "[a]\nmatrix-3= 1 2 3; 4 5 6\n", ":2:11", "2 rows; an odd number is needed"},
    {"rows-ragged", "[a]\nmatrix-3=1 2 3; 4 5 6; 7\n", ":2:24",
     "row 3 has 1 coefficients, the first"},
    {"row-long", "[a]\nmatrix-15=" ROW16 "\n", ":2:41", "more than 15 coefficients in a row"},
    {"rows-many", "[a]\nmatrix-15=" MATRIX17 "\n", ":2:41", "more than 15 rows"},
    {"number-text", "[a]\nmatrix-1=one\n", ":2:10", NUMBER},
    {"number-place", "[a]\n\nmatrix-3=1 2 1x\n", ":3:14", NUMBER},
    {"number-second-row", "[a]\nmatrix-3 =\t1 2 1; 2,4 ,x; 1 2 1\n", ":2:24", NUMBER},
    {"number-second-matrix", "[a]\nmatrix-1=1 | y\n", ":2:14", NUMBER},
    {"number-escaped", "[a]\nmatrix-3=1\\s2 x\n", ":2:10", NUMBER},
    {"number-nan", "[a]\nmatrix-1=nan\n", ":2:10", NUMBER},
    {"number-infinite", "[a]\nmatrix-1=inf\n", ":2:10", NUMBER},
    {"number-overflow", "[a]\nmatrix-1=1e999\n", ":2:10", NUMBER},
    {"number-large", "[a]\nmatrix-1=1000000001\n", ":2:10", NUMBER},
    {"fraction-zero", "[a]\nmatrix-1=1/0\n", ":2:10", NUMBER},
    {"fraction-both-zero", "[a]\nmatrix-1=0/0\n", ":2:10", NUMBER},
    {"fraction-cut", "[a]\nmatrix-1=1/\n", ":2:10", NUMBER},
    {"fraction-divided", "[a]\nmatrix-1=1/ 2 3\n", ":2:10", NUMBER},
    {"fraction-twice", "[a]\nmatrix-1=1/2/3\n", ":2:10", NUMBER},
    {"matrices-many", "[a]\nmatrix-1=1|1|1|1|1|1|1|1|1\n", ":2:26", "more than 8 matrices"},
    {"matrices-shapes", "[a]\nmatrix-3=1 1 1 | 1;1;1\n", ":2:10",
     "matrix 2 is 1x3, the first is 3x1"},
    {"matrices-taps", "[a]\nmatrix-15=" MATRIX15 "|" MATRIX15 "|" MATRIX15 "\n", ":2:11",
     "more than 450 coefficients in all"},
    {"matrices-long", "[a]\nrow-17=" ROW17 "|" ROW17 "|" ROW17 "\ncolumn-17=1|1|1\n", ":2:8",
     "more than 2 matrices of more than 15 rows or columns"},
    {"matrices-empty", "[a]\nmatrix-1=1|\n", ":2:12", NO_COEFFICIENTS},
    {"column-missing", "[a]\nrow-3=1 2 1\n", ":2:1", "column-3 is missing"},
    {"row-missing", "[a]\nmatrix-1=1\ncolumn-3=1 2 1\n", ":3:1", "row-3 is missing"},
    {"columns-fewer", "[a]\nrow-3=1 2 1|1 2 1\ncolumn-3=1 2 1\n", ":3:1", "1 columns for 2 rows"},
    {"row-of-rows", "[a]\nrow-3=1 2 1;1 2 1;1 2 1\ncolumn-3=1 2 1\n", ":2:7", LISTS},
    {"column-of-rows", "[a]\nrow-3=1 2 1\ncolumn-3=1;2;1\n", ":3:10", LISTS},
    {"product-large", "[a]\nrow-1=99999\ncolumn-1=99999\n", ":2:7",
     "a product of column and row is not between"},
    {"scale-text", "[a]\nmatrix-1=1\nscale-1=big\n", ":3:9", NUMBER " other than 0"},
    {"scale-zero", "[a]\nmatrix-1=1\nscale-1=0\n", ":3:9", NUMBER " other than 0"},
    {"scale-nan", "[a]\nmatrix-1=1\nscale-1=nan\n", ":3:9", NUMBER " other than 0"},
    {"scale-alone", "[a]\nmatrix-1=1\nscale-3=2\n", ":3:1", "one of matrix-3 and row-3 is needed"},
    {"default-size", "[a]\nmatrix-1=1\ndefault-size=3\n", ":3:14", DEFAULT},
    {"default-size-zero", "[a]\nmatrix-1=1\ndefault-size=0\n", ":3:14", DEFAULT},
    {"default-size-text", "[a]\nmatrix-1=1\ndefault-size=big\n", ":3:14", DEFAULT},
    {"lines-many", LINES1024 "[b]\n", ":1025:1", "more than 1024 lines that are neither blank nor"},
};

static gchar *
parse_badly(const gchar *text) {
  g_autoptr(GError) error = NULL;
  g_assert_null(parse(text, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_test_message("%s", error->message);
  return g_strdup(error->message);
}

static void
test_malformed(gconstpointer data) {
  guint i = GPOINTER_TO_UINT(data);
  g_autofree gchar *message = parse_badly(malformed[i].text);
  g_autofree gchar *start =
      g_strdup_printf("here.ini%s: %s", malformed[i].place, malformed[i].part);
  g_autofree gchar *message_start = g_strndup(message, strlen(start));
  g_assert_cmpstr(message_start, ==, start);
}

/* A truncated text: the parser must respect the length and not read up to a terminating zero. */
static void
test_length(void) {
  static const gchar text[] = "[a]\nmatrix-1=1\n[B";
  g_autoptr(GError) error = NULL;
  g_autofree gchar *exact = g_memdup2(text, 15);
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(exact, 15, "here", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(kernels->len, ==, 1);
}

/* --- mutations --- */

static void
mutate(GString *text, GRand *rand) {
  static const gchar *const pieces[] = {
      "|",   ";",   "-",          "=",      "\n",     "[",  "]",    "/",
      "1e9", "nan", "matrix-15=", "row-3=", "scale-", "\\", "\xff", "0 "};
  guint n = (guint)g_rand_int_range(rand, 1, 6);
  for (guint i = 0; i < n; i++) {
    gssize at = g_rand_int_range(rand, 0, (gint)text->len + 1);
    gssize rest = (gssize)text->len - at, some = g_rand_int_range(rand, 1, 80);
    switch (g_rand_int_range(rand, 0, 5)) {
    case 0:
      if (rest > 0)
        text->str[at] = (gchar)g_rand_int_range(rand, 0, 256);
      break;
    case 1:
      g_string_erase(text, at, MIN(rest, some));
      break;
    case 2:
      g_string_insert(text, at, pieces[g_rand_int_range(rand, 0, G_N_ELEMENTS(pieces))]);
      break;
    case 3: { /* a copy of another part */
      gsize from = (gsize)g_rand_int_range(rand, 0, (gint)text->len + 1);
      gsize length = MIN(text->len - from, (gsize)some);
      g_autofree gchar *copy = g_memdup2(text->str + from, length);
      g_string_insert_len(text, at, copy, (gssize)length);
      break;
    }
    default:
      if (rest > 0 && g_rand_int_range(rand, 0, 4) == 0)
        g_string_truncate(text, (gsize)at);
    }
  }
}

static void
test_mutations(void) {
  gsize length;
  g_autofree gchar *text = read_presets(&length);
  g_auto(GStrv) sections = g_strsplit(text, "\n[", -1);
  guint n_sections = g_strv_length(sections), accepted = 0;
  g_autoptr(GRand) rand = g_rand_new_with_seed(20261120);
  g_autoptr(GRegex) place = g_regex_new("^mutant:[0-9]+:[0-9]+: ", 0, 0, NULL);
  for (guint i = 0; i < MUTATIONS; i++) {
    guint section = (guint)g_rand_int_range(rand, 1, (gint)n_sections);
    g_autoptr(GString) mutant = g_string_new("[");
    g_string_append(mutant, sections[section]);
    mutate(mutant, rand);
    /* without a terminating zero, so that reading too far is detected */
    g_autofree gchar *bytes = g_memdup2(mutant->str, mutant->len);
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) kernels = cc_kernels_parse(bytes, mutant->len, "mutant", &error);
    g_assert_true((kernels == NULL) == (error != NULL));
    if (kernels) {
      check_limits(kernels);
      accepted++;
    } else {
      g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
      g_assert_true(g_utf8_validate(error->message, -1, NULL));
      g_assert_true(g_regex_match(place, error->message, 0, NULL) ||
                    strstr(error->message, "no kernel is defined"));
    }
  }
  g_test_message("%u of %u mutants accepted", accepted, MUTATIONS);
  g_assert_cmpuint(accepted, >, 0);
  g_assert_cmpuint(accepted, <, MUTATIONS);
}

int
main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kernelfile/presets", test_presets);
  g_test_add_func("/kernelfile/defaults", test_defaults);
  g_test_add_func("/kernelfile/all-keys", test_all_keys);
  g_test_add_func("/kernelfile/class-chroma", test_class_chroma);
  g_test_add_func("/kernelfile/words", test_words);
  for (guint i = 0; i < G_N_ELEMENTS(malformed); i++) {
    g_autofree gchar *path = g_strconcat("/kernelfile/malformed/", malformed[i].name, NULL);
    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_malformed);
  }
  g_test_add_func("/kernelfile/length", test_length);
  g_test_add_func("/kernelfile/mutations", test_mutations);
  return g_test_run();
}
