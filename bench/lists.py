# SPDX-License-Identifier: LGPL-2.1-or-later
"""The cases and the peers that cudaconv-bench measures, and the targets."""

# --- cases and peers ---

FASTEST = "tensor-core"
FORMATS = "GRAY8,GRAY16_LE,RGB,RGBA,ARGB64,NV12,NV12-Y,NV12-UV,NV16,YUY2,I420,Y444,P010_10LE"
SIZES = "7680x4320,3840x2160,1920x1080"

# heading, formats, sizes, kernels, algorithms and peers; optional: border, stride
STANDARD = [
    ("All algorithms", "GRAY8,RGBA", "7680x4320",
     "gaussian:3,gaussian:5,sobel:3,sobel-x:3,sobel-y:3", "all,npp"),
    ("Large, fractional and non-separable kernels", "GRAY8", "7680x4320",
     "sharpen:3,laplacian:3,unsharp:5,gaussian:5:1.2,gaussian:7,gaussian:15:2.5,box:15", "all,npp"),
    ("16 bits, three samples per pixel, two planes and each plane alone, 4:2:2 in two planes and in "
     "one", "GRAY16_LE,RGB,NV12,NV12-Y,NV12-UV,NV16,YUY2",
     "7680x4320", "gaussian:3,gaussian:5,sobel:3", FASTEST),
    ("An odd size", "GRAY8,RGBA", "7679x4319",
     "gaussian:3,gaussian:5,sobel:3", FASTEST),
    ("HD", "GRAY8,RGBA,GRAY16_LE,NV12", "1920x1080", "gaussian:3,gaussian:5,sobel:3",
     FASTEST + ",npp"),
    ("Stride 2", "GRAY8", "10001x10001", "gaussian:3", "all",
     "constant", 2)]

# A peer of pipelines is a list of elements. A peer of kernels is a function in kernels.c.
PIPELINE_PEERS = {
    "cudaupload": "cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload",
    "cudaupload-queue": "cudaupload ! video/x-raw(memory:CUDAMemory) ! queue ! cudadownload",
    "gl": "glupload ! gleffects_sobel ! gldownload",
    # peers whose names start with "fresh-" get new memory for each frame, like the path `fresh`
    "fresh-cudaupload": "cudaupload ! video/x-raw(memory:CUDAMemory) ! cudadownload",
    "fresh-source": "identity"}
SYSTEM_PATHS = ["bus", "pool", "chain-2", "chain-5", "own", "fresh", *PIPELINE_PEERS]
CUDA_PATHS = "bus-up bus-down cuda cuda-to-system system-to-cuda".split()
# heading, formats, sizes, paths, streams
MEMORY = [("System memory", "RGBA", "1920x1080,3840x2160", SYSTEM_PATHS, 1),
          ("System memory", "I420", "1920x1080", SYSTEM_PATHS, 1),
          ("CUDA memory", "NV12", "1920x1080", CUDA_PATHS, 1)]
STREAMS = 16
DECODERS, ROUNDS = ("decode", "decode-cudaconv"), 5

# title, format, properties of cudaconv, an element of GStreamer or a filter of FFmpeg, FFmpeg's pixel format
CPU_SIZE, CPU_FRAMES, CPU_ROUNDS = {"width": 1920, "height": 1080}, (20, 620), 7
CPU = [("gaussian 5x5 beside cvsmooth", "GRAY8", "kernel=gaussian size=5",
        "cvsmooth type=gaussian kernel-width=5 kernel-height=5", None),
       ("sobel-x beside cvsobel", "RGB", "kernel=sobel-x", "cvsobel", None),
       ("sobel beside FFmpeg's sobel", "GRAY8", "kernel=sobel", "sobel", "gray")]

# Algorithms that rows are compared with, in addition to the peers of a run of kernels.
KERNEL_PEERS = ["direct", "two-pass"]
NO_FILTERS = ("copy", "bus", "bus-up", "bus-down", "kernel")
LIMITS = {"cuda-to-system": "bus-down", "system-to-cuda": "bus-up", "bus-up": "bus-up",
          "bus-down": "bus-down", "cuda": "", "kernel": "", "decode": "", "decode-cudaconv": ""}

# --- targets ---

UNITS = {"percent_of_copy": "% of the copy rate", "times_a_copy": "times the time of a copy",
         "times_its_planes": "times its planes' sum", "us": "us",
         "percent_of_bus": "% of the bus limit", "above_kernel_us": "us above the kernel's time",
         "latency_ms": "ms in the element, median", "worst_latency_ms": "ms in the element, worst",
         "percent_of_decoder": "% of the decoder's own rate",
         "times_peer": "times as fast as its peer"}
LARGE, HD, UHD = "7680x4320", "1920x1080", "3840x2160"
G3, G5, S3, BOTH = "gaussian 3x3", "gaussian 5x5", "sobel 3x3", "gaussian 3x3,gaussian 5x5"
AT_LEAST, AT_MOST = "at least", "at most"
# field of a row, bound, limit, algorithms or paths, formats ("": all measured ones), sizes, stride or
# streams, kernels. The field times_PEER means "times as fast as PEER".
TARGETS = {
    "kernels": [
        ("percent_of_copy", AT_LEAST, 95, FASTEST, "GRAY8,RGBA", LARGE, 1, G3),
        ("percent_of_copy", AT_LEAST, 90, FASTEST, "GRAY8,RGBA", LARGE, 1, G5),
        ("percent_of_copy", AT_LEAST, 85, FASTEST, "GRAY8", LARGE, 1, S3),
        ("percent_of_copy", AT_LEAST, 78, FASTEST, "RGBA", LARGE, 1, S3),
        ("percent_of_copy", AT_LEAST, 87, FASTEST, "NV16,YUY2", LARGE, 1, BOTH),
        ("percent_of_copy", AT_LEAST, 90, FASTEST, "GRAY16_LE", LARGE, 1, BOTH),
        ("times_its_planes", AT_MOST, 1.1, FASTEST, "NV12", LARGE, 1, BOTH),
        ("times_a_copy", AT_MOST, 1.6, FASTEST, "GRAY8,RGBA,GRAY16_LE,NV12", HD, 1, f"{BOTH},{S3}"),
        ("times_npp", AT_LEAST, 10, FASTEST, "GRAY8", LARGE, 1, G5),
        ("times_npp", AT_LEAST, 2.2, FASTEST, "GRAY8", LARGE, 1, f"{G3},sobel-x 3x3,sobel-y 3x3"),
        ("times_two-pass", AT_LEAST, 8, FASTEST, "GRAY8", LARGE, 1, BOTH),
        ("times_direct", AT_LEAST, 10, FASTEST, "GRAY8", LARGE, 1, BOTH),
        ("times_two-pass", AT_LEAST, 4, "register-tile", "GRAY8", LARGE, 1, BOTH),
        ("us", AT_MOST, 100, FASTEST, "GRAY8", "10001x10001", 2, G3)],
    "pipelines": [
        ("percent_of_bus", AT_LEAST, 85, "pool,own", "RGBA", f"{HD},{UHD}", 1, ""),
        ("percent_of_bus", AT_LEAST, 85, "chain-2,chain-5", "RGBA", f"{HD},{UHD}", 1, ""),
        ("percent_of_bus", AT_LEAST, 85, "pool,own", "I420", HD, 1, ""),
        ("times_cudaupload", AT_LEAST, 5, "pool,own", "RGBA", f"{HD},{UHD}", 1, ""),
        ("times_cudaupload", AT_LEAST, 5, "pool,own", "I420", HD, 1, ""),
        ("times_gl", AT_LEAST, 8, "pool,own", "RGBA", f"{HD},{UHD}", 1, ""),
        ("times_fresh-cudaupload", AT_LEAST, 1.5, "fresh", "RGBA", f"{HD},{UHD}", 1, ""),
        ("times_fresh-cudaupload", AT_LEAST, 1.5, "fresh", "I420", HD, 1, ""),
        ("above_kernel_us", AT_MOST, 10, "cuda", "NV12", HD, 1, ""),
        ("percent_of_bus", AT_LEAST, 95, "pool", "RGBA", HD, STREAMS, ""),
        ("latency_ms", AT_MOST, 2, "live", "RGBA", HD, 1, ""),
        ("worst_latency_ms", AT_MOST, 2, "live", "RGBA", HD, 1, ""),
        ("percent_of_decoder", AT_LEAST, 98, "decode-cudaconv", "", "", 1, "")],
    "cpu": [("times_peer", AT_LEAST, 4, "cudaconv", "GRAY8", HD, 1, CPU[0][0]),
            ("times_peer", AT_LEAST, 4, "cudaconv", "RGB", HD, 1, CPU[1][0]),
            ("times_peer", AT_LEAST, 8, "cudaconv", "GRAY8", HD, 1, CPU[2][0])]}
