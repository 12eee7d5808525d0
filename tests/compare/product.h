/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The full product of all properties in which algorithms differ: sample types, steps, packed
 * formats, windows, separable or not, frame sizes, borders and strides. All kernels are exact, so
 * that only one answer is right. */

#include "tests/compare/cases.h"

G_BEGIN_DECLS

typedef struct _Product Product;

/* Without `large`, only frames of up to 93x41 pixels. */
Product *product_new(gboolean large);
void product_free(Product *product);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Product, product_free)

guint product_count(const Product *product);

/* Returns case `index` of the product, which must outlive it. */
Case product_get(const Product *product, guint index);

G_END_DECLS
