#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""cudaconv-bench-cvcuda: measures the device time of CV-CUDA's filters. Takes the cases of
cudaconv-bench-kernels and prints the same lines of JSON. Skips cases with formats or options that CV-CUDA
does not have.

Needs CV-CUDA (cvcuda-cu13 or -cu12 of PyPI) and PyTorch, and filters PyTorch's tensors. Without them it prints
a note. Borders are replicated. A Gaussian without a sigma has OpenCV's default sigma for its size. Other
kernels of one matrix are conv2d with a matrix of the same size.
"""

import argparse
import json
import math
import statistics
import time

CACHES, BATCHES, MAX_FRAMES = 4, 7, 64
HEAD_START = 1.5  # time that the device is kept busy, in times of queueing the frames
SAMPLES = {"GRAY8": (1, 1), "RGB": (3, 1), "RGBA": (4, 1), "GRAY16_LE": (1, 2), "ARGB64": (4, 2)}
IMAGES = {"GRAY8": "U8", "RGB": "RGB8", "RGBA": "RGBA8", "GRAY16_LE": "U16"}
ONE_MATRIX = ("whole", "sharpen", "unsharp", "emboss", "log", "motion-blur", "laplacian-8")


def say(**line):
    print(json.dumps(line), flush=True)


class Integers:
    """A view of device memory as 32-bit integers, because PyTorch has no type for pairs of them."""

    def __init__(self, tensor, n):
        data = tensor.cuda().__cuda_array_interface__["data"]
        self.__cuda_array_interface__ = {"shape": (n,), "typestr": "<i4", "data": data, "version": 3}


class Bench:
    """CV-CUDA on a stream of PyTorch."""

    def __init__(self, options):
        import cvcuda
        import torch
        self.cvcuda, self.torch = cvcuda, torch
        self.budget_us = 1e3 * options.budget
        torch.cuda.set_device(max(options.device, 0))
        self.stream = torch.cuda.Stream()
        self.own_stream = cvcuda.as_stream(self.stream.cuda_stream)
        self.cache = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size

    def frames(self, format_, width, height):
        """Yields random frames as tensors of PyTorch. Together they are larger than the L2 cache."""
        torch, (step, size) = self.torch, SAMPLES[format_]
        bytes_ = width * height * step * size
        n = max(2, math.ceil(CACHES * self.cache / bytes_))
        for _ in range(n):
            flat = torch.randint(0, 256, (bytes_,), dtype=torch.uint8, device="cuda")
            yield (flat if size == 1 else flat.view(torch.uint16)).reshape(height, width, step)

    def matrix_of(self, size):
        """Returns conv2d's arguments for a matrix: a batch of one, its anchor, and the taps to keep alive."""
        cvcuda, torch = self.cvcuda, self.torch
        batch, anchor = cvcuda.ImageBatchVarShape(1), cvcuda.Tensor((1,), cvcuda.Type._2S32, "N")
        taps = torch.rand((size, size, 1), device="cuda") / size ** 2
        torch.as_tensor(Integers(anchor, 2), device="cuda").fill_(-1)
        batch.pushback(cvcuda.as_image(taps, cvcuda.Format.F32))
        return batch, anchor, taps

    def filter_of(self, format_, name, size, sigma):
        """Returns a function that wraps a frame, and a function that filters wrapped frames; or None."""
        cvcuda, border = self.cvcuda, self.cvcuda.Border.REPLICATE
        more = {"border": border, "stream": self.own_stream}

        def as_batch(frame):
            batch = cvcuda.ImageBatchVarShape(1)
            batch.pushback(cvcuda.as_image(frame, getattr(cvcuda.Format, IMAGES[format_])))
            return batch

        def as_tensor(frame):
            return cvcuda.as_tensor(frame, "HWC")

        if name == "gaussian":
            sigmas = (sigma or 0.3 * ((size - 1) * 0.5 - 1) + 0.8,) * 2
            return as_tensor, lambda dst, src: cvcuda.gaussian_into(dst, src, (size, size), sigmas, **more)
        if name == "box":
            return as_tensor, lambda dst, src: cvcuda.averageblur_into(dst, src, (size, size), **more)
        if name == "laplacian":
            return as_tensor, lambda dst, src: cvcuda.laplacian_into(dst, src, 1, 1.0, **more)
        if name in ONE_MATRIX and format_ in IMAGES:
            matrix, anchor, taps = self.matrix_of(size)
            return as_batch, lambda dst, src, _=taps: cvcuda.conv2d_into(dst, src, matrix, anchor, **more)
        return None

    def batch(self, run, pairs, n):
        """Returns the device time of n frames in microseconds. Sets host_us to the host time of one."""
        torch = self.torch
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(self.stream):
            torch.cuda._sleep(int(2000 * HEAD_START * self.host_us * n))  # cycles, at up to 2 GHz
            begin.record(self.stream)
            start = time.perf_counter()
            for i in range(n):
                run(*pairs[i % len(pairs)])
            self.host_us = 1e6 * (time.perf_counter() - start) / n
            end.record(self.stream)
        end.synchronize()
        return 1e3 * begin.elapsed_time(end)

    def measure(self, format_, width, height, name, size, sigma):
        """Returns a row, or None if CV-CUDA has no such filter."""
        found = self.filter_of(format_, name, size, sigma)
        if not found:
            return None
        wrap, run = found
        kept = [(frame.clone(), frame) for frame in self.frames(format_, width, height)]
        pairs = [tuple(map(wrap, pair)) for pair in kept]
        self.torch.cuda.synchronize()
        self.host_us = 0
        self.batch(run, pairs, 1)
        once = self.batch(run, pairs, 2) / 2
        n = int(min(max(self.budget_us / BATCHES / max(once, 0.1), 1), MAX_FRAMES))
        self.batch(run, pairs, n)
        us = sorted(self.batch(run, pairs, n) / n for _ in range(BATCHES))
        step, bytes_ = SAMPLES[format_]
        return {"format": format_, "width": width, "height": height,
                "kernel": f"{name} {size}x{size}" + (f" sigma {sigma:.3g}" if sigma else ""),
                "border": "replicate", "stride": 1, "algorithm": "cvcuda",
                "bytes": 2 * width * height * step * bytes_, "us": statistics.median(us),
                "least_us": us[0], "most_us": us[-1], "batches": BATCHES, "frames_a_batch": n}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=200, metavar="MS")
    parser.add_argument("--device", type=int, default=0, metavar="ID")
    parser.add_argument("cases", nargs="+", metavar="CASE")
    options = parser.parse_args()
    try:
        bench = Bench(options)
        say(cvcuda=f"CV-CUDA {bench.cvcuda.__version__}")
    except (ImportError, OSError, RuntimeError, AssertionError) as error:
        say(note=f"CV-CUDA is not measured: {error}".splitlines()[0])
        return
    for case in options.cases:
        format_, size, kernel, *more = case.split()
        if format_ not in SAMPLES or any(not option.startswith("algorithms=") for option in more):
            continue
        name, side, *sigma = kernel.split(":")
        try:
            row = bench.measure(format_, *map(int, size.split("x")), name, int(side), float(sigma[0]) if sigma else 0)
        except Exception as error:  # CV-CUDA raises its own types
            row = {"note": f"cvcuda, {format_} {kernel}: {error}".splitlines()[0]}
        if row:
            say(**row)


if __name__ == "__main__":
    main()
