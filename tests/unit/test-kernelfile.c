/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kernel definitions as text: what is accepted, what is refused and in which words, and texts that
 * are there to do harm. The environment variable KERNELS_INI names the file of named kernels. */

#include "engine/kernel.h"

#include <glib/gstdio.h>
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

/* What must hold of every definition that the parser lets through. */
static void
check_limits(const GPtrArray *kernels) {
  g_assert_cmpuint(kernels->len, >, 0);
  for (guint i = 0; i < kernels->len; i++) {
    const CcKernel *kernel = g_ptr_array_index(kernels, i);
    g_assert_cmpstr(kernel->name, !=, "");
    g_assert_cmpstr(kernel->name, !=, "custom");
    g_assert_cmpint(kernel->response, !=, CC_RESPONSE_AUTO);
    g_assert_cmpint(kernel->chroma, !=, CC_CHROMA_AUTO);
    g_assert_nonnull(cc_kernel_get_size(kernel, 0, NULL));
    for (guint s = 0; s < kernel->n_sizes; s++) {
      const CcKernelSize *size = &kernel->sizes[s];
      g_assert_cmpuint(size->n_matrices, >=, 1);
      g_assert_cmpuint(size->n_matrices, <=, CC_MAX_MATRICES);
      g_assert_true(isfinite(size->scale));
      guint width = size->matrix[0].width, height = size->matrix[0].height;
      g_assert_true(width % 2 == 1 && height % 2 == 1);
      g_assert_cmpuint(MAX(width, height), ==, size->size);
      g_assert_cmpuint(size->size, <=, CC_MAX_KERNEL_SIZE);
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

/* --- malformed --- */

#define ROW16 "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
#define ROW15 "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
#define ROWS4(row) row ";" row ";" row ";" row
#define MATRIX15 ROWS4(ROW15) ";" ROWS4(ROW15) ";" ROWS4(ROW15) ";" ROW15 ";" ROW15 ";" ROW15
#define MATRIX17 ROWS4("1") ";" ROWS4("1") ";" ROWS4("1") ";" ROWS4("1") ";1"

/* Each with words that the message has to hold, besides the origin. */
static const struct {
  const gchar *name, *text, *part, *other_part;
} malformed[] = {
    {"empty", "", "no kernel", ""},
    {"only-comment", "# nothing\n", "no kernel", ""},
    {"no-group", "matrix-3=1\n", "", ""},
    {"not-a-key-file", "hello\n", "", ""},
    {"group-unclosed", "[a\nmatrix-1=1\n", "", ""},
    {"name-upper-case", "[Big]\nmatrix-1=1\n", "[Big]", "lower case"},
    {"name-space", "[a b]\nmatrix-1=1\n", "[a b]", "lower case"},
    {"name-custom", "[custom]\nmatrix-1=1\n", "[custom]", "taken"},
    {"second-bad", "[a]\nmatrix-1=1\n[B]\nmatrix-1=1\n", "[B]", "lower case"},
    {"no-matrix", "[a]\ndescription=x\n", "[a]", "matrix-N"},
    {"unknown-key", "[a]\nmatrix-1=1\ncolour=red\n", "colour", "no such key"},
    {"class", "[a]\nclass=soft\nmatrix-1=1\n", "soft", "plain, blur, sharpen, edge"},
    {"response", "[a]\nresponse=auto\nmatrix-1=1\n", "auto", "magnitude-l1"},
    {"chroma", "[a]\nchroma=\nmatrix-1=1\n", "chroma", "neutral"},
    {"gaussian", "[a]\ngaussian=maybe\nmatrix-1=1\n", "maybe", "true"},
    {"escape", "[a]\nclass=ed\\qge\nmatrix-1=1\n", "class", "ed\\qge"},
    {"escape-description", "[a]\ndescription=50\\%\nmatrix-1=1\n", "description", "before none"},
    {"escape-column", "[a]\nrow-3=1 2 1\ncolumn-3=1 2 1\\\n", "column-3", "1 2 1\\"},
    {"size-even", "[a]\nmatrix-4=1\n", "matrix-4", "odd"},
    {"size-zero", "[a]\nmatrix-0=1\n", "matrix-0", "odd"},
    {"size-large", "[a]\nmatrix-17=1\n", "matrix-17", "15"},
    {"size-negative", "[a]\nmatrix--3=1\n", "matrix--3", "odd"},
    {"size-huge", "[a]\nmatrix-99999999999999999999=1\n", "odd", "15"},
    {"size-text", "[a]\nmatrix-x=1\n", "matrix-x", "odd"},
    {"size-missing", "[a]\nmatrix-=1\n", "matrix-", "odd"},
    {"size-other", "[a]\nmatrix-5=1 2 3; 4 5 6; 7 8 9\n", "3x3", "5"},
    {"size-twice", "[a]\nmatrix-1=1\nrow-1=1\ncolumn-1=1\n", "twice", "1"},
    {"matrix-empty", "[a]\nmatrix-3=\n", "matrix-3", "coefficients"},
    {"matrix-semicolons", "[a]\nmatrix-3=;;\n", "matrix-3", "odd"},
    {"row-even", "[a]\nmatrix-3=1 2; 3 4\n", "2 coefficients", "odd"},
    {"rows-even", "[a]\nmatrix-3=1 2 3; 4 5 6\n", "2 rows", "odd"},
    {"rows-ragged", "[a]\nmatrix-3=1 2 3; 4 5 6; 7\n", "row 3", "1"},
    {"row-long", "[a]\nmatrix-15=" ROW16 "\n", "more than 15", ""},
    {"rows-many", "[a]\nmatrix-15=" MATRIX17 "\n", "more than 15 rows", ""},
    {"number-text", "[a]\nmatrix-1=one\n", "one", "number"},
    {"number-tail", "[a]\nmatrix-1=1x\n", "1x", "number"},
    {"number-nan", "[a]\nmatrix-1=nan\n", "nan", "number"},
    {"number-infinite", "[a]\nmatrix-1=inf\n", "inf", "number"},
    {"number-overflow", "[a]\nmatrix-1=1e999\n", "1e999", "number"},
    {"number-large", "[a]\nmatrix-1=1000000001\n", "1000000001", "number"},
    {"fraction-zero", "[a]\nmatrix-1=1/0\n", "1/0", "number"},
    {"fraction-both-zero", "[a]\nmatrix-1=0/0\n", "0/0", "number"},
    {"fraction-cut", "[a]\nmatrix-1=1/\n", "1/", "number"},
    {"fraction-twice", "[a]\nmatrix-1=1/2/3\n", "1/2/3", "number"},
    {"matrices-many", "[a]\nmatrix-1=1|1|1|1|1|1|1|1|1\n", "more than 8", ""},
    {"matrices-shapes", "[a]\nmatrix-3=1 1 1 | 1;1;1\n", "1x3", "3x1"},
    {"matrices-taps", "[a]\nmatrix-15=" MATRIX15 "|" MATRIX15 "|" MATRIX15 "\n", "more than 450",
     ""},
    {"matrices-empty", "[a]\nmatrix-1=1|\n", "matrix-1", "odd"},
    {"column-missing", "[a]\nrow-3=1 2 1\n", "column-3", "missing"},
    {"row-missing", "[a]\nmatrix-1=1\ncolumn-3=1 2 1\n", "column-3", "row-3"},
    {"columns-fewer", "[a]\nrow-3=1 2 1|1 2 1\ncolumn-3=1 2 1\n", "1", "2"},
    {"row-of-rows", "[a]\nrow-3=1 2 1;1 2 1;1 2 1\ncolumn-3=1 2 1\n", "row-3", ";"},
    {"product-large", "[a]\nrow-1=99999\ncolumn-1=99999\n", "-1", ""},
    {"scale-text", "[a]\nmatrix-1=1\nscale-1=big\n", "big", "scale-1"},
    {"scale-zero", "[a]\nmatrix-1=1\nscale-1=0\n", "scale-1", "0"},
    {"scale-nan", "[a]\nmatrix-1=1\nscale-1=nan\n", "scale-1", "nan"},
    {"scale-alone", "[a]\nmatrix-1=1\nscale-3=2\n", "scale-3", ""},
    {"default-size", "[a]\nmatrix-1=1\ndefault-size=3\n", "default-size", "3"},
    {"default-size-zero", "[a]\nmatrix-1=1\ndefault-size=0\n", "default-size", "0"},
    {"default-size-text", "[a]\nmatrix-1=1\ndefault-size=big\n", "big", "size"},
};

static void
test_malformed(gconstpointer data) {
  guint i = GPOINTER_TO_UINT(data);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) kernels = parse(malformed[i].text, &error);
  g_assert_null(kernels);
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, "here.ini"));
  g_assert_nonnull(strstr(error->message, malformed[i].part));
  g_assert_nonnull(strstr(error->message, malformed[i].other_part));
}

/* A cut text: the parser must respect the length and not look for a final zero. */
static void
test_length(void) {
  static const gchar text[] = "[a]\nmatrix-1=1\n[B";
  g_autoptr(GError) error = NULL;
  g_autofree gchar *exact = g_memdup2(text, 15);
  g_autoptr(GPtrArray) kernels = cc_kernels_parse(exact, 15, "here", &error);
  g_assert_no_error(error);
  g_assert_cmpuint(kernels->len, ==, 1);
}

/* --- files --- */

static void
test_load(void) {
  g_autoptr(GError) error = NULL;
  g_autofree gchar *folder = g_dir_make_tmp("cudaconv-test-XXXXXX", &error);
  g_assert_no_error(error);
  g_autofree gchar *path = g_build_filename(folder, "two.ini", NULL);
  g_file_set_contents(path, "[first]\nmatrix-1=2\n[second]\nmatrix-1=3\n", -1, &error);
  g_assert_no_error(error);
  g_autoptr(CcKernel) kernel = cc_kernel_load(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(kernel->name, ==, "first");

  g_file_set_contents(path, "[first]\n", -1, NULL);
  g_assert_null(cc_kernel_load(path, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_assert_nonnull(strstr(error->message, path));
  g_clear_error(&error);

  g_remove(path);
  g_assert_null(cc_kernel_load(path, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_assert_nonnull(strstr(error->message, path));
  g_clear_error(&error);

  g_assert_null(cc_kernel_load(folder, &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
  g_rmdir(folder);
}

/* A stream without an end must not be read to its end. */
static void
test_load_endless(void) {
  g_autoptr(GError) error = NULL;
  g_assert_null(cc_kernel_load("/dev/zero", &error));
  g_assert_error(error, CC_ERROR, CC_ERROR_INVALID);
}

/* --- hostile --- */

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
    case 3: { /* something that stands elsewhere */
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
  for (guint i = 0; i < MUTATIONS; i++) {
    guint section = (guint)g_rand_int_range(rand, 1, (gint)n_sections);
    g_autoptr(GString) mutant = g_string_new("[");
    g_string_append(mutant, sections[section]);
    mutate(mutant, rand);
    /* without a final zero, so that reading on is seen */
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
  for (guint i = 0; i < G_N_ELEMENTS(malformed); i++) {
    g_autofree gchar *path = g_strconcat("/kernelfile/malformed/", malformed[i].name, NULL);
    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_malformed);
  }
  g_test_add_func("/kernelfile/length", test_length);
  g_test_add_func("/kernelfile/load", test_load);
  g_test_add_func("/kernelfile/load-endless", test_load_endless);
  g_test_add_func("/kernelfile/mutations", test_mutations);
  return g_test_run();
}
