/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <math.h>

/* A point, a direction or a color. y points upwards. Colors are linear in light. */
typedef struct {
  float x, y, z;
} Vec;

static inline Vec
vec(float x, float y, float z) {
  return (Vec){x, y, z};
}

static inline Vec
vec_add(Vec a, Vec b) {
  return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline Vec
vec_sub(Vec a, Vec b) {
  return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline Vec
vec_times(Vec a, float factor) {
  return vec(a.x * factor, a.y * factor, a.z * factor);
}

/* The product of components: a color in colored light. */
static inline Vec
vec_product(Vec a, Vec b) {
  return vec(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline float
vec_dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec
vec_cross(Vec a, Vec b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline Vec
vec_unit(Vec a) {
  return vec_times(a, 1 / sqrtf(vec_dot(a, a)));
}

/* Interpolates from a (share 0) to b (share 1). */
static inline Vec
vec_mix(Vec a, Vec b, float share) {
  return vec_add(vec_times(a, 1 - share), vec_times(b, share));
}

static inline Vec
vec_along(Vec origin, Vec direction, float distance) {
  return vec_add(origin, vec_times(direction, distance));
}

/* `normal` is a unit vector. */
static inline Vec
vec_reflect(Vec direction, Vec normal) {
  return vec_along(direction, normal, -2 * vec_dot(direction, normal));
}
