#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Renders the picture that docs/images/before-after.png is made of: spheres on a tiled floor.

usage: scene.py OUTPUT.png

It has what a photograph has and a test chart has not: soft shading, shadows, fine texture towards the
horizon, and edges in all directions. The picture of the documentation is then made by
`make demo INPUT=OUTPUT.png`.
"""
import math
import struct
import sys
import zlib

WIDTH, HEIGHT = 480, 360
SAMPLES = 3  # along each axis of a pixel
LIGHT = (-0.48, 0.74, -0.47)
EYE_HEIGHT = 1.1
# centre, radius, colour, share of mirrored light
SPHERES = [
    ((-1.35, 0.8, 4.4), 0.8, (0.85, 0.22, 0.16), 0.15),
    ((0.35, 1.0, 5.6), 1.0, (0.9, 0.85, 0.75), 0.55),
    ((1.45, 0.55, 3.7), 0.55, (0.15, 0.42, 0.8), 0.2),
    ((-0.25, 0.33, 3.0), 0.33, (0.95, 0.68, 0.12), 0.1),
    ((-3.4, 1.3, 8.5), 1.3, (0.2, 0.55, 0.3), 0.1),
]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def along(origin, direction, distance):
    return tuple(o + distance * d for o, d in zip(origin, direction))


def unit(v):
    length = math.sqrt(dot(v, v))
    return tuple(c / length for c in v)


def nearest_sphere(origin, direction):
    """Distance and sphere that a ray meets first, or infinity and None."""
    best, found = math.inf, None
    for sphere in SPHERES:
        offset = tuple(o - c for o, c in zip(origin, sphere[0]))
        b = dot(offset, direction)
        root = b * b - dot(offset, offset) + sphere[1] ** 2
        if root > 0 and 1e-4 < -b - math.sqrt(root) < best:
            best, found = -b - math.sqrt(root), sphere
    return best, found


def sky(direction):
    height = max(direction[1], 0)
    return tuple(low + (high - low) * height ** 0.5
                 for low, high in zip((0.86, 0.88, 0.9), (0.25, 0.45, 0.75)))


def floor_colour(x, z):
    tile = (math.floor(x) + math.floor(z)) % 2
    grain = 0.06 * math.sin(23 * x) * math.sin(19 * z + 3 * math.sin(2 * x))
    return tuple(c * (1 + grain) for c in ((0.75, 0.7, 0.62) if tile else (0.3, 0.24, 0.22)))


def lit(point, normal, colour):
    shadowed = nearest_sphere(along(point, normal, 1e-3), LIGHT)[1] is not None
    light = 0.28 + (0 if shadowed else 0.75 * max(dot(normal, LIGHT), 0))
    return tuple(c * light for c in colour)


def trace(origin, direction, depth=0):
    distance, sphere = nearest_sphere(origin, direction)
    if sphere:
        point = along(origin, direction, distance)
        normal = tuple((p - c) / sphere[1] for p, c in zip(point, sphere[0]))
        colour = lit(point, normal, sphere[2])
        bounced = along(direction, normal, -2 * dot(direction, normal))
        shine = max(dot(bounced, LIGHT), 0) ** 60
        mirrored = trace(point, bounced, depth + 1) if depth < 3 else (0, 0, 0)
        share = sphere[3]
        return tuple((1 - share) * c + share * m + 0.7 * shine for c, m in zip(colour, mirrored))
    if direction[1] >= -1e-6:
        return sky(direction)
    distance = -origin[1] / direction[1]
    point = along(origin, direction, distance)
    haze = 1 - math.exp(-distance / 25)
    ground = lit(point, (0, 1, 0), floor_colour(point[0], point[2]))
    return tuple(g + (s - g) * haze for g, s in zip(ground, sky((0, 0, 1))))


def pixel(x, y):
    total = [0, 0, 0]
    for sub in range(SAMPLES * SAMPLES):
        across = x + (sub % SAMPLES + 0.5) / SAMPLES - WIDTH / 2
        down = y + (sub // SAMPLES + 0.5) / SAMPLES - HEIGHT / 2
        ray = unit((across / HEIGHT, -down / HEIGHT - 0.06, 1.1))
        total = [t + c for t, c in zip(total, trace((0, EYE_HEIGHT, 0), ray))]
    return bytes(round(255 * min(t / SAMPLES ** 2, 1) ** (1 / 2.2)) for t in total)


def png(rows):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 9)) +
            chunk(b"IEND", b""))


def main():
    rows = [b"".join(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT)]
    with open(sys.argv[1], "wb") as output:
        output.write(png(rows))


main()
