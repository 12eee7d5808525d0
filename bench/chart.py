# SPDX-License-Identifier: LGPL-2.1-or-later
"""Charts of bars as SVG."""

import html
import itertools


def bars(title, values, full, mark=None):
    """A bar for each pair of a text and a number, with an axis of at least `full` and a line at
    `mark`."""
    scale = 500 / max([full] + [value for _, value in values])
    bottom = 60 + 18 * len(values)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="1030" height="{bottom}">'
             "<style>text { font: 12px sans-serif } svg { background: #fff }</style>"
             f'<text x="24" y="30">{html.escape(title)}</text>']
    for y, (text, value) in zip(itertools.count(48, 18), values):
        parts.append(
            f'<text x="24" y="{y + 11}">{html.escape(text)}</text>'
            f'<rect x="460" y="{y}" width="{value * scale:.1f}" height="14" fill="#0072b2"/>'
            f'<text x="{464 + value * scale:.1f}" y="{y + 11}">{value:.1f}</text>')
    if mark:
        x = f"{460 + mark * scale:.1f}"
        parts.append(f'<line x1="{x}" y1="44" x2="{x}" y2="{bottom - 12}" stroke="#d55e00"/>')
    return "\n".join([*parts, "</svg>\n"])
