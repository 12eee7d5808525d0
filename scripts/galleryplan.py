# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pictures of docs/gallery.md, for scripts/gallery.py and scripts/kernels-doc.py.

What the lists of the element have and no table here names gets a picture as well, with the usual settings."""

import dataclasses
import shlex

from inspection import choices, inspect, presets_of, properties_of

INPUT = "picture.png"
INPUT_SIZE = 256, 192

# What kernels get beside their name, so that one sees in a small picture what they do.
WITH = {"box": [("size", "9")], "gaussian": [("size", "9")], "roberts": [("scale", "3")],
        "kirsch": [("scale", "0.25")], "laplacian": [("scale", "4")], "laplacian-8": [("scale", "2")]}
# Kernels that a response is shown with; sobel-x has one matrix with both signs.
RESPONSES = {"clamp": "sobel-x", "absolute": "sobel-x", "offset": "sobel-x"}


@dataclasses.dataclass(eq=False)
class Picture:
    """A picture that the element makes: its name, which is that of its file, what to say about it,
    and the settings as pairs of a property and a value."""
    name: str
    text: str
    settings: list
    source: str = INPUT
    enlarged: int = 1   # as it is stored; each pixel becomes so many in both directions
    caps: str = None    # what the element gets, where that is not what the file has
    tolerance: int = 0  # between what different machines make of it

    def file(self):
        return f"{self.name}.png"

    def stored(self):
        """The name of the file beside the page. WebP without loss takes half the room of PNG."""
        return f"{self.name}.webp"


@dataclasses.dataclass(eq=False)
class Group:
    """Pictures below a heading, and lines of gst-launch-1.0 that make what they are made of."""
    title: str
    text: str
    pictures: list
    preparations: list = dataclasses.field(default_factory=list)


def apply_words(picture):
    """The command that makes a picture, in words."""
    options = []
    for name, value in picture.settings:
        # a value that begins with a dash could be taken for an option
        options += [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
    return ["cudaconv", "apply", *options, picture.source, picture.file()]


def launch_words(picture):
    """A pipeline that makes the same picture, in words."""
    settings = []
    for name, value in picture.settings:
        name = "@preset" if name == "preset" else name
        settings.append(f'{name}="{value}"' if " " in value else f"{name}={value}")
    caps = ["!", picture.caps] if picture.caps else []
    return ["gst-launch-1.0", "filesrc", f"location={picture.source}", "!", "pngdec", "!", "videoconvert",
            *caps, "!", "cudaconv", *settings, "!", "videoconvert", "!", "pngenc", "!",
            "filesink", f"location={picture.file()}"]


def shell_line(words):
    """Words as one types them: the marks of a pipeline need no quotes."""
    return " ".join(word if word == "!" else shlex.quote(word) for word in words)


def shown_words(picture):
    """The command that the page shows."""
    return launch_words(picture) if picture.caps else apply_words(picture)


def kernel_picture(name, text):
    return Picture(f"kernel-{name}", text, [("kernel", name)] + WITH.get(name, []))


def of_choices(listed, name, skipped, settings_of):
    """A picture for each value of a property; settings_of gives those beside it."""
    return [Picture(f"{name}-{value}", text, settings_of(value) + [(name, value)])
            for value, text in choices(listed[name]) if value not in skipped]


def kernels(listed):
    pictures = [kernel_picture(name, text) for name, text in choices(listed["kernel"]) if name != "custom"]
    return Group("Kernels", "`kernel` takes a kernel by its name; [kernels.md](kernels.md) has the matrices. Some have a `size` "
                 "or a `scale` here with which one sees in a small picture what they do.", pictures)


def sizes(_):
    return Group(
        "Size and sigma",
        "`size` makes a kernel larger, and `sigma` a Gaussian smoother. Larger derivatives give larger results, "
        "which `scale` brings back.",
        [Picture("size-gaussian-15", "Gaussian blur of 15x15 pixels", [("kernel", "gaussian"), ("size", "15")]),
         Picture("sigma-6", "Gaussian blur with a sigma of 6 pixels, 37x37",
                 [("kernel", "gaussian"), ("sigma", "6")]),
         Picture("size-box-41", "Mean of 41x41 pixels", [("kernel", "box"), ("size", "41")]),
         Picture("size-sobel-7", "Sobel of 7x7 pixels, brought to the strength of 3x3",
                 [("kernel", "sobel"), ("size", "7"), ("scale", "0.004")]),
         Picture("size-log-9", "Laplacian of Gaussian of 9x9 pixels", [("kernel", "log"), ("size", "9"), ("scale", "0.02")]),
         Picture("size-motion-blur-3", "Motion over three pixels only",
                 [("kernel", "motion-blur"), ("size", "3")])])


def matrices(_):
    return Group(
        "A kernel of your own",
        "`matrix-text` takes the coefficients of a matrix, `row` and `column` those of a separable kernel.",
        [Picture("matrix-text", "Lines around everything: the neighbours less seven times the pixel",
                 [("matrix-text", "1 1 1 1 -7 1 1 1 1")]),
         Picture("row", "Mean of 31 pixels side by side",
                 [("row", f"<{','.join(['1'] * 31)}>")]),
         Picture("row-column", "A corner detector: derivative along x of that along y",
                 [("row", "<-1,0,1>"), ("column", "<-1,0,1>"), ("response", "absolute"), ("color", "grey"),
                  ("scale", "4")])])


def responses(listed):
    return Group(
        "Responses",
        "`response` says how signed sums become pixels. Each kernel has its own, which `auto` takes; these make a "
        "difference where sums have both signs, or where there are two.",
        of_choices(listed, "response", ["auto"], lambda value: [("kernel", RESPONSES.get(value, "sobel"))]))


def scales(_):
    return Group(
        "Scale and bias",
        "A result is multiplied by `scale`, and `bias` is added. A negative scale turns the picture round.",
        [Picture("scale-edges", "Dark edges on white", [("kernel", "sobel"), ("scale", "-1"), ("bias", "255")]),
         Picture("scale-strong", "Weak edges made visible", [("kernel", "sobel"), ("scale", "4")]),
         Picture("scale-negative", "A negative", [("kernel", "identity"), ("scale", "-1"), ("bias", "255")]),
         Picture("scale-contrast", "More contrast", [("kernel", "identity"), ("scale", "1.6"), ("bias", "-90")]),
         Picture("scale-fog", "Blurred, with little contrast",
                 [("kernel", "gaussian"), ("sigma", "2"), ("scale", "0.5"), ("bias", "110")]),
         Picture("scale-lines", "Pen and ink: a Laplacian of Gaussian on white",
                 [("kernel", "log"), ("scale", "-1.2"), ("bias", "255")])])


def borders(listed):
    """What every border rule puts outside the picture, seen directly and in a blur."""
    shift = f"<1{',0' * 20}>"  # takes the pixel ten to the left, or ten above
    found = choices(listed["border"])
    seen = [Picture(f"border-{value}", text, [("row", shift), ("column", shift), ("border", value)],
                    source="corner.png", enlarged=6) for value, text in found]
    blurred = [Picture(f"border-blur-{value}", text, [("kernel", "box"), ("size", "63"), ("border", value)])
               for value, text in found]
    white = "All white: border-value is 1"
    seen.append(Picture("border-value", white, seen[0].settings[:2] + [("border", "constant"), ("border-value", "1")],
                        source="corner.png", enlarged=6))
    blurred.append(Picture("border-blur-value", white, [("kernel", "box"), ("size", "63"), ("border", "constant"),
                                                        ("border-value", "1")]))
    corner = ("gst-launch-1.0 filesrc location=picture.png ! pngdec ! videocrop left=60 right=156 top=114 bottom=48 "
              "! pngenc ! filesink location=corner.png")
    return [
        Group("Borders",
              "`border` says what the kernel reads outside the picture. Here a kernel with a single 1 in its corner "
              "moves a small piece of the picture ten pixels to the right and down, so that what the rule puts above "
              "and to the left of it comes into sight. The pictures are enlarged six times.", seen, [corner]),
        Group("Borders of a blur", "A mean of 63x63 pixels: near a side half of it lies outside, and in a corner three quarters.", blurred)]


def chromas(listed):
    pictures = of_choices(listed, "chroma", ["auto"], lambda value: [("kernel", "box"), ("size", "15")])
    for picture in pictures:
        # the way there and back is up to GStreamer's converter
        picture.caps, picture.tolerance = "video/x-raw,format=Y444", 3
    return Group("Chroma",
                 "`chroma` says what happens to the colours of YUV video, as most films are. A PNG file is not YUV, so "
                 "these lines convert it first.", pictures)


def colors(listed):
    return Group("Colour",
                 "`color` says whether red, green and blue are filtered each by itself or as their luma. Edge kernels "
                 "take the luma by themselves, others do not.",
                 of_choices(listed, "color", ["auto"], lambda value: [("kernel", "sobel")])
                 + [Picture("color-relief", "A grey relief", [("kernel", "emboss"), ("color", "grey")])])


def alphas(listed):
    pictures = of_choices(listed, "alpha", [], lambda value: [("kernel", "gaussian"), ("sigma", "5")])
    for picture in pictures:
        picture.source = "framed.png"
    framed = ("gst-launch-1.0 filesrc location=picture.png ! pngdec ! videoconvert "
              "! videobox border-alpha=0 left=-24 right=-24 top=-24 bottom=-24 ! videoconvert "
              "! video/x-raw,format=RGBA ! pngenc ! filesink location=framed.png")
    return Group("Alpha",
                 "`alpha` says what happens to an alpha channel. Here the picture has a transparent frame around "
                 "it.", pictures, [framed])


def strides(_):
    return Group("Stride",
                 "With `stride`, only every second or fourth pixel and row is kept: a blur and a smaller picture in one "
                 "step.",
                 [Picture(f"stride-{n}", f"{what} of the size", [("kernel", "gaussian"), ("size", size), ("stride", n)])
                  for n, size, what in (("1", "3", "All"), ("2", "5", "Half"), ("4", "9", "A quarter"))])


def presets(found):
    return Group("Presets", "A preset sets several properties at once.",
                 [Picture(f"preset-{name}", text, [("preset", name)]) for name, text in found])


def groups(build):
    """All groups of the page."""
    text = inspect(build)
    listed = properties_of(text)
    return [kernels(listed), presets(presets_of(text)), sizes(listed), matrices(listed), responses(listed),
            scales(listed), *borders(listed), chromas(listed), colors(listed), alphas(listed), strides(listed)]
