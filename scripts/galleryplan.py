# SPDX-License-Identifier: LGPL-2.1-or-later
"""The images of docs/gallery.md, for scripts/gallery.py and scripts/kernels-doc.py.

Every kernel, preset and value of an enum gets an image. Those without an entry here get it with the default settings. Presets
that need metas get none, because files have no metas."""

import configparser
import dataclasses
import pathlib
import shlex

from inspection import choices, inspect, presets_of, properties_of

PRESETS = pathlib.Path(__file__).resolve().parent.parent / "presets" / "GstCudaConv.prs"
INPUT = "picture.png"
INPUT_SIZE = 256, 192

# Settings that make the effect of a kernel visible in a small image.
WITH = {"box": [("size", "9")], "gaussian": [("size", "9")], "roberts": [("scale", "3")],
        "kirsch": [("scale", "0.25")], "laplacian": [("scale", "4")], "laplacian-8": [("scale", "2")]}
# Kernels for the images of the responses; sobel-x has one matrix with both signs.
RESPONSES = {"clamp": "sobel-x", "absolute": "sobel-x", "offset": "sobel-x"}


@dataclasses.dataclass(eq=False)
class Image:
    """An image that the element makes. `name` is also the name of its file. `text` is its caption. `settings` are pairs of a
    property and a value."""
    name: str
    text: str
    settings: list
    source: str = INPUT
    enlarged: int = 1   # factor of the stored image: each pixel is repeated in both directions
    caps: str = None    # the format for the element, if it differs from that of the file, or an element that changes it
    after: str = None   # elements behind the element
    tolerance: int = 0  # largest difference between machines

    def file(self):
        return f"{self.name}.png"

    def stored(self):
        """The name of the file beside the page. Lossless WebP is half as large as PNG."""
        return f"{self.name}.webp"


@dataclasses.dataclass(eq=False)
class Group:
    """Images below a heading, and lines of gst-launch-1.0 that make their inputs."""
    title: str
    text: str
    images: list
    preparations: list = dataclasses.field(default_factory=list)


def apply_words(image):
    """The words of the command that makes an image."""
    options = []
    for name, value in image.settings:
        if value == "true":
            options.append(f"--{name}")
        elif value.startswith("-"):  # it could be taken for an option
            options.append(f"--{name}={value}")
        else:
            options += [f"--{name}", value]
    return ["cudaconv", "apply", *options, image.source, image.file()]


def launch_words(image):
    """The words of a pipeline that makes the same image."""
    settings = []
    for name, value in image.settings:
        name = "@preset" if name == "preset" else name
        settings.append(f'{name}="{value}"' if " " in value else f"{name}={value}")
    caps = ["!", *image.caps.split()] if image.caps else []
    after = ["!", *image.after.split()] if image.after else []
    return ["gst-launch-1.0", "filesrc", f"location={image.source}", "!", "pngdec", "!", "videoconvert",
            *caps, "!", "cudaconv", *settings, *after, "!", "videoconvert", "!", "pngenc", "!",
            "filesink", f"location={image.file()}"]


def shell_line(words):
    """The words as a shell line. The `!` of a pipeline needs no quotes."""
    return " ".join(word if word == "!" else shlex.quote(word) for word in words)


def shown_words(image):
    """The command that the page shows."""
    return launch_words(image) if image.caps else apply_words(image)


def kernel_image(name, text):
    return Image(f"kernel-{name}", text, [("kernel", name)] + WITH.get(name, []))


def of_choices(listed, name, skipped, settings_of):
    """An image for each value of a property. settings_of returns its other settings."""
    return [Image(f"{name}-{value}", text, settings_of(value) + [(name, value)])
            for value, text in choices(listed[name]) if value not in skipped]


def kernels(listed):
    images = [kernel_image(name, text) for name, text in choices(listed["kernel"]) if name != "custom"]
    return Group("Kernels", "`kernel` selects a kernel by its name. [kernels.md](kernels.md) has the matrices. Some images here have a "
                 "`size` or a `scale` that makes the effect visible.", images)


def sizes(_):
    return Group(
        "Size and sigma",
        "`size` makes a kernel larger. `sigma` makes a Gaussian smoother. Larger derivatives give larger results. "
        "`scale` reduces them.",
        [Image("size-gaussian-15", "Gaussian blur of 15x15 pixels", [("kernel", "gaussian"), ("size", "15")]),
         Image("sigma-6", "Gaussian blur with a sigma of 6 pixels, 37x37",
                 [("kernel", "gaussian"), ("sigma", "6")]),
         Image("size-box-41", "Mean of 41x41 pixels", [("kernel", "box"), ("size", "41")]),
         Image("size-sobel-7", "Sobel of 7x7 pixels, scaled to the strength of 3x3",
                 [("kernel", "sobel"), ("size", "7"), ("scale", "0.004")]),
         Image("size-log-9", "Laplacian of Gaussian of 9x9 pixels", [("kernel", "log"), ("size", "9"), ("scale", "0.02")]),
         Image("size-motion-blur-3", "Motion blur over three pixels only",
                 [("kernel", "motion-blur"), ("size", "3")])])


def matrices(_):
    return Group(
        "A kernel of your own",
        "`matrix-text` has the coefficients of a matrix. `row` and `column` have those of a separable kernel.",
        [Image("matrix-text", "Lines around everything: the neighbours minus seven times the pixel",
                 [("matrix-text", "1 1 1 1 -7 1 1 1 1")]),
         Image("row", "Mean of 31 pixels side by side",
                 [("row", f"<{','.join(['1'] * 31)}>")]),
         Image("row-column", "A corner detector: the derivative along x of the derivative along y",
                 [("row", "<-1,0,1>"), ("column", "<-1,0,1>"), ("response", "absolute"), ("color", "grey"),
                  ("scale", "4")])])


def responses(listed):
    return Group(
        "Responses",
        "`response` says how signed sums become pixels. `auto` takes the kernel's own. The values differ if sums have "
        "both signs, or if the kernel has two matrices.",
        of_choices(listed, "response", ["auto"], lambda value: [("kernel", RESPONSES.get(value, "sobel"))]))


def cannys(_):
    canny = [("kernel", "sobel"), ("response", "canny")]
    return Group(
        "Canny",
        "`response=canny` draws lines of one pixel where the gradient is largest. Each line has a pixel whose gradient is above `high`, "
        "and goes on where the gradient is above `low`. Larger kernels have larger gradients, and need larger thresholds.",
        [Image("canny-low", "Weak edges too", canny + [("low", "30"), ("high", "60")]),
         Image("canny-high", "Only the strongest edges", canny + [("low", "250"), ("high", "500")]),
         Image("canny-gap", "Strong edges, followed to their weak ends", canny + [("low", "30"), ("high", "500")]),
         Image("canny-size", "Sobel 5x5, which averages noise",
               [("kernel", "sobel"), ("size", "5"), ("response", "canny"), ("low", "800"), ("high", "1600")]),
         Image("canny-overlay", "Edges in red over the image", canny + [("overlay", "0xffff0000")]),
         Image("canny-ink", "Edges in black over the image", canny + [("low", "50"), ("overlay", "0xff000000")])])


def scales(_):
    return Group(
        "Scale and bias",
        "The result is multiplied by `scale`. Then `bias` is added. A negative scale inverts the image.",
        [Image("scale-edges", "Dark edges on white", [("kernel", "sobel"), ("scale", "-1"), ("bias", "255")]),
         Image("scale-strong", "Weak edges made visible", [("kernel", "sobel"), ("scale", "4")]),
         Image("scale-negative", "A negative", [("kernel", "identity"), ("scale", "-1"), ("bias", "255")]),
         Image("scale-contrast", "More contrast", [("kernel", "identity"), ("scale", "1.6"), ("bias", "-90")]),
         Image("scale-fog", "Blurred, with little contrast",
                 [("kernel", "gaussian"), ("sigma", "2"), ("scale", "0.5"), ("bias", "110")]),
         Image("scale-lines", "Pen and ink: a Laplacian of Gaussian on white",
                 [("kernel", "log"), ("scale", "-1.2"), ("bias", "255")])])


def thresholds(_):
    return Group(
        "Threshold and invert",
        "`threshold` makes the result black and white. `invert` exchanges black and white, after the threshold.",
        [Image("threshold-components", "Red, green and blue are each full or absent",
               [("kernel", "identity"), ("threshold", "0.5")]),
         Image("threshold-grey", "Black and white by the luma",
               [("kernel", "identity"), ("color", "grey"), ("threshold", "0.5")]),
         Image("threshold-blur", "Large shapes: the threshold of a blur",
               [("kernel", "gaussian"), ("sigma", "4"), ("color", "grey"), ("threshold", "0.5")]),
         Image("threshold-edges", "Strong edges only, all of them white", [("kernel", "sobel"), ("threshold", "0.3")]),
         Image("invert-edges", "Dark edges on white", [("kernel", "sobel"), ("invert", "true")]),
         Image("invert-negative", "A negative", [("kernel", "identity"), ("invert", "true")])])


def mixes(_):
    return Group(
        "Mix",
        "`mix` blends the result with the source. A value above 1 enlarges the effect of the kernel. A negative value reverses it: "
        "with a blur it sharpens.",
        [Image("mix-unsharp", "Unsharp mask: a negative mix of a blur",
               [("kernel", "gaussian"), ("sigma", "3"), ("mix", "-1.5")]),
         Image("mix-contrast", "More local contrast: the same with a large blur",
               [("kernel", "gaussian"), ("sigma", "15"), ("mix", "-0.6")]),
         Image("mix-glow", "Soft focus: half source and half blur",
               [("kernel", "gaussian"), ("sigma", "6"), ("mix", "0.5")]),
         Image("mix-edges", "Half source and half edges", [("kernel", "sobel"), ("mix", "0.5")]),
         Image("mix-dark-edges", "Brighter, with dark edges", [("kernel", "sobel"), ("mix", "-0.5")]),
         Image("mix-strong", "Three times the effect of the kernel", [("kernel", "unsharp"), ("mix", "3")])])


def overlays(_):
    return Group(
        "Overlay",
        "`overlay` draws a color over the source where the result is bright. The value is 0xAARRGGBB: alpha, red, green and "
        "blue. The command also accepts `#RRGGBB`.",
        [Image("overlay-edges", "Edges in red", [("kernel", "sobel"), ("overlay", "0xffff0000")]),
         Image("overlay-alpha", "Edges in yellow, at half strength", [("kernel", "sobel"), ("overlay", "0x80ffff00")]),
         Image("overlay-threshold", "Strong edges in black",
               [("kernel", "sobel"), ("threshold", "0.3"), ("overlay", "0xff000000")]),
         Image("overlay-invert", "Black everywhere but at strong edges",
               [("kernel", "sobel"), ("threshold", "0.3"), ("invert", "true"), ("overlay", "0xff000000")]),
         Image("overlay-bright", "Red where the image is nearly white",
               [("kernel", "identity"), ("color", "grey"), ("threshold", "0.9"), ("overlay", "0xffff0000")]),
         Image("overlay-dark", "Blue where the image is nearly black",
               [("kernel", "identity"), ("color", "grey"), ("threshold", "0.25"), ("invert", "true"),
                ("overlay", "0xff0000ff")])])


def borders(listed):
    """The pixels that each border rule puts outside the image, seen directly and in a blur."""
    shift = f"<1{',0' * 20}>"  # reads the pixel ten to the left, or ten above
    found = choices(listed["border"])
    seen = [Image(f"border-{value}", text, [("row", shift), ("column", shift), ("border", value)],
                    source="corner.png", enlarged=6) for value, text in found]
    blurred = [Image(f"border-blur-{value}", text, [("kernel", "box"), ("size", "63"), ("border", value)])
               for value, text in found]
    white = "All white: border-value is 1"
    seen.append(Image("border-value", white, seen[0].settings[:2] + [("border", "constant"), ("border-value", "1")],
                        source="corner.png", enlarged=6))
    blurred.append(Image("border-blur-value", white, [("kernel", "box"), ("size", "63"), ("border", "constant"),
                                                        ("border-value", "1")]))
    corner = ("gst-launch-1.0 filesrc location=picture.png ! pngdec ! videocrop left=60 right=156 top=114 bottom=48 "
              "! pngenc ! filesink location=corner.png")
    return [
        Group("Borders",
              "`border` says which pixels the kernel reads outside the image. Here a kernel with a single 1 in its corner "
              "moves a small crop ten pixels to the right and down. The pixels that the rule puts above and to the left "
              "of the crop become visible. The images are enlarged six times.", seen, [corner]),
        Group("Borders of a blur", "A mean of 63x63 pixels. At a side half of it lies outside the image, and in a corner three quarters.", blurred)]


def chromas(listed):
    images = of_choices(listed, "chroma", ["auto"], lambda value: [("kernel", "box"), ("size", "15")])
    images.append(Image("chroma-kernel", "Edges in the colors of the blurred image",
                        [("kernel", "sobel"), ("chroma-kernel", "gaussian"), ("chroma-size", "9")]))
    for image in images:
        # GStreamer's converter makes YUV and back
        image.caps, image.tolerance = "video/x-raw,format=Y444", 3
    return Group("Chroma",
                 "`chroma` says what happens to the colors of YUV video, and `chroma-kernel` filters them with another "
                 "kernel. Most videos are YUV. A PNG file is not, so these lines convert it first.", images)


def colors(listed):
    return Group("Color",
                 "`color` says whether red, green and blue are filtered each by itself or as their luma. By default edge "
                 "kernels take the luma, and other kernels take each by itself.",
                 of_choices(listed, "color", ["auto"], lambda value: [("kernel", "sobel")])
                 + [Image("color-relief", "A grey relief", [("kernel", "emboss"), ("color", "grey")])])


def alphas(listed):
    images = of_choices(listed, "alpha", [], lambda value: [("kernel", "gaussian"), ("sigma", "5")])
    for image in images:
        image.source = "framed.png"
    framed = ("gst-launch-1.0 filesrc location=picture.png ! pngdec ! videoconvert "
              "! videobox border-alpha=0 left=-24 right=-24 top=-24 bottom=-24 ! videoconvert "
              "! video/x-raw,format=RGBA ! pngenc ! filesink location=framed.png")
    return Group("Alpha",
                 "`alpha` says what happens to an alpha channel. Here the image has a transparent border around it. Its "
                 "hidden color is black, which darkens the edges of the image with `copy` and `filter`. With `weighted`, the "
                 "default of `cudaconv apply` for a blur, they keep their colors.", images, [framed])


def strides(_):
    return Group("Stride",
                 "`stride` keeps only every second or fourth pixel and row. It blurs and shrinks the image in one step.",
                 [Image(f"stride-{n}", f"{what} size", [("kernel", "gaussian"), ("size", size), ("stride", n)])
                  for n, size, what in (("1", "3", "Full"), ("2", "5", "Half"), ("4", "9", "Quarter"))])


def fields(listed):
    crop = ("gst-launch-1.0 filesrc location=picture.png ! pngdec ! videocrop left={} right={} top=94 bottom=34 "
            "! pngenc ! filesink location={}.png")
    weave = ("gst-launch-1.0 multifilesrc location=moment%d.png stop-index=1 caps=image/png,framerate=50/1 ! pngdec "
             "! videoconvert ! interlace field-pattern=1:1 top-field-first=true ! videoconvert ! pngenc snapshot=true "
             "! filesink location=interlaced.png")
    images = of_choices(listed, "fields", [], lambda value: [("kernel", "sobel")])
    for image in images:
        image.caps = "capssetter caps=video/x-raw,interlace-mode=interleaved"
        image.after = "videoconvert ! deinterlace method=linear fields=top"
    images.insert(0, Image("fields-input", "The input: two moments in one frame", [("kernel", "identity")],
                           caps="video/x-raw,format=RGB"))
    for image in images:
        image.source, image.enlarged, image.tolerance = "interlaced.png", 4, 3
    return Group("Fields",
                 "`fields` says how interlaced video is filtered. In this frame the odd rows show a later moment: everything has "
                 "moved by six pixels. `deinterlace` makes a frame of the first moment from the result. With `frame`, this moment has "
                 "the edges of the other one too. The images are enlarged four times.",
                 images, [crop.format(76, 106, "moment0"), crop.format(82, 100, "moment1"), weave])


def presets(found):
    definitions = configparser.ConfigParser(interpolation=None)
    definitions.read(PRESETS, encoding="utf-8")
    needing_metas = [name for name, _ in found if definitions.getboolean(name, "roi-meta", fallback=False)]
    names = " and ".join(f"`{name}`" for name in needing_metas)
    return Group("Presets",
                 f"A preset sets several properties at once. `--preset NAME` selects it. {names} have no image here, because they need a "
                 "detector in a pipeline: [recipes-video.md](recipes-video.md#blur-faces) has one.",
                 [Image(f"preset-{name}", text, [("preset", name)]) for name, text in found if name not in needing_metas])


def regions(_):
    face = "79,47,98,98"  # in face.png
    face_image = ("gst-launch-1.0 filesrc location=examples/astronaut.jpg ! jpegdec ! videoconvert "
                  "! videocrop left=95 right=161 top=17 bottom=79 ! pngenc ! filesink location=face.png")
    images = [Image("roi-blur", "One region is blurred",
                    [("kernel", "gaussian"), ("sigma", "4"), ("roi", "14,58,84,82")]),
              Image("roi-black", "Edges of two regions, and black outside of them",
                    [("kernel", "sobel"), ("roi", "14,58,84,82;104,46,76,78"), ("outside", "black")]),
              Image("roi-target", "The edges of a region beside the region",
                    [("kernel", "sobel"), ("roi", "76,114,52,54"), ("target", "182,130")]),
              Image("roi-sigma", "The larger region has a larger sigma",
                    [("kernel", "gaussian"), ("roi", "14,58,84,82;76,114,52,54"), ("roi-sigma", "0.1")])]
    faces = [Image("roi-face-blur", "A face, blurred as in the preset `face-blur`",
                   [("kernel", "gaussian"), ("roi", face), ("roi-sigma", "0.3")]),
             Image("roi-face-black", "The same face, black as in the preset `face-black`",
                   [("kernel", "identity"), ("bias", "-255"), ("threshold", "1"), ("roi", face)])]
    for image in faces:
        image.source, image.tolerance = "face.png", 3  # decoders of JPEG differ
    return Group("Regions",
                 "`roi` has the regions that are filtered: x, y, width and height in pixels. In a pipeline they are written as "
                 "`roi=\"<<14,58,84,82>,<104,46,76,78>>\"`. `outside` says what the rest becomes, and `target` moves the "
                 "results. `roi-sigma` is the sigma as a share of the smaller side of each region. The first line cuts the "
                 "photograph of the last two images out of [astronaut.jpg](../examples/astronaut.jpg). A blur is no anonymization.",
                 images + faces, [face_image])


def groups(build):
    """All groups of the page."""
    text = inspect(build)
    listed = properties_of(text)
    return [kernels(listed), presets(presets_of(text)), sizes(listed), matrices(listed), responses(listed), cannys(listed),
            scales(listed), thresholds(listed), mixes(listed), overlays(listed), *borders(listed), chromas(listed),
            colors(listed), alphas(listed), strides(listed), regions(listed), fields(listed)]
