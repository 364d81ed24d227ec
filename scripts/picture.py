#!/usr/bin/env python3
"""Draws terminal text as an SVG picture of a terminal window.

Reads text with ANSI colours on standard input, writes SVG to standard output:

  heddle check "xcd(8)" --grids 1..4096 --color always |
    python3 scripts/picture.py --command 'heddle check "xcd(8)" --grids 1..4096' > picture.svg

Understands the codes for reset, bold, dim and the eight colours; others are ignored. Every run of
text is placed by its column and given its width, so columns line up in any monospace font.
"""
import argparse
import html
import re
import sys

COLUMN = 7.8       # width of one character at this font size
LINE = 19.0        # from one line to the next
FONT_SIZE = 13
MARGIN = 18
BAR = 34           # height of the window's title bar
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
BACKGROUND, BAR_COLOR, BUTTON = "#16191f", "#22262e", "#4a505b"
TEXT, DIM, COMMAND = "#d7dae0", "#8b919c", "#9ecbff"
COLORS = {31: "#ff7b72", 32: "#5fd38d", 33: "#e3b341", 34: "#79b8ff", 35: "#d2a8ff", 36: "#56d4dd"}
CODE = re.compile(r"\x1b\[([0-9;]*)m")


def runs_of(line, state):
    """Splits a line into (column, text, color, bold), carrying the state from line to line."""
    runs, column, position = [], 0, 0
    for code in list(CODE.finditer(line)) + [None]:
        text = line[position:code.start() if code else len(line)]
        for part in re.finditer(r"\S+(?: \S+)*", text):  # long gaps are not drawn
            runs.append((column + part.start(), part.group(), state["color"], state["bold"]))
        column += len(text)
        if code is None:
            return runs, column
        position = code.end()
        for number in (int(n or 0) for n in code.group(1).split(";")):
            if number == 0:
                state.update(color=TEXT, bold=False)
            elif number == 1:
                state["bold"] = True
            elif number == 2:
                state["color"] = DIM
            elif number in COLORS:
                state["color"] = COLORS[number]


def text_element(x, y, text, color, bold=False):
    weight = ' font-weight="bold"' if bold else ""
    width = f' textLength="{len(text) * COLUMN:.1f}"' if len(text) > 1 else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}"{weight}{width} '
            f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{html.escape(text)}</text>')


def draw(lines, command, title):
    elements, y, widest = [], BAR + MARGIN + FONT_SIZE, 0
    for number, part in enumerate(command.split("\n") if command else []):
        prompt = "$ " if number == 0 else "    "
        elements.append(text_element(MARGIN, y, prompt.rstrip() or " ", DIM))
        elements.append(text_element(MARGIN + len(prompt) * COLUMN, y, part, COMMAND))
        widest = max(widest, len(prompt) + len(part))
        y += LINE
    y += LINE / 2 if command else 0
    state = {"color": TEXT, "bold": False}
    for line in lines:
        runs, length = runs_of(line, state)
        for column, text, color, bold in runs:
            elements.append(text_element(MARGIN + column * COLUMN, y, text, color, bold))
        widest = max(widest, length)
        y += LINE
    width = widest * COLUMN + 2 * MARGIN
    height = y - LINE + MARGIN
    buttons = "".join(f'<circle cx="{20 + 18 * i}" cy="{BAR / 2:.0f}" r="5.5" fill="{BUTTON}"/>'
                      for i in range(3))
    heading = (f'<text x="{width / 2:.1f}" y="{BAR / 2 + 4.5:.1f}" fill="{DIM}" '
               f'text-anchor="middle">{html.escape(title)}</text>')
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.1f} {height:.1f}" font-family="{FONTS}" font-size="{FONT_SIZE}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f'<rect width="100%" height="100%" rx="9" fill="{BACKGROUND}"/>',
        f'<path d="M0 {BAR}V9a9 9 0 0 1 9-9H{width - 9:.1f}a9 9 0 0 1 9 9V{BAR}z" '
        f'fill="{BAR_COLOR}"/>',
        buttons, heading, *elements, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="terminal text on stdin, SVG on stdout")
    parser.add_argument("--command", default="", help="shown after a prompt, above the text")
    parser.add_argument("--title", default="heddle", help="shown in the title bar")
    arguments = parser.parse_args()
    lines = sys.stdin.read().rstrip("\n").split("\n")
    sys.stdout.write(draw(lines, arguments.command, arguments.title))


if __name__ == "__main__":
    main()
