#!/usr/bin/env python3
"""Draws demo.svg: what `troupe demo` shows on a terminal after some seconds.  argv: the troupe program, the file."""
import base64
import fcntl
import html
import os
import pty
import re
import struct
import sys
import tempfile
import termios
import zlib

COLUMNS, ROWS, SECONDS = 104, 37, 33
WIDE, HIGH, EDGE = 8, 16, 12  # of a cell in the drawing, and round all of them
GROUND, INK = (13, 16, 20), (214, 220, 228)
# quarters of a cell that are ink: 1 upper left, 2 upper right, 4 lower left, 8 lower right
BLOCKS = {" ": 0, "▘": 1, "▝": 2, "▀": 3, "▖": 4, "▌": 5, "▞": 6, "▛": 7, "▗": 8, "▚": 9, "▐": 10, "▜": 11, "▄": 12, "▙": 13,
          "▟": 14, "█": 15}


def watch(program, folder):
    """All that the demo writes until it has run for so long, as text."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8", TROUPE_COMMAND="./troupe")
        sys.stdin.read(1)  # until the terminal has its size
        os.chdir(folder)
        os.execv(program, [program, "demo", "office", "--seconds", str(SECONDS)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    os.write(terminal, b"\n")
    written = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            written += piece
    except OSError:
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, written[-300:]
    return written.decode()


class Screen:
    """Cells of a letter, its colour, the colour behind it and whether it is bold."""

    def __init__(self):
        self.cells = [[(" ", INK, GROUND, False)] * COLUMNS for _ in range(ROWS)]
        self.x = self.y = 0
        self.dress("0")

    def dress(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.ink, self.ground, self.bold = INK, GROUND, False
            elif code == 1:
                self.bold = True
            elif code in (38, 48):
                colour, codes = tuple(codes[1:4]), codes[4:]
                self.ink, self.ground = (colour, self.ground) if code == 38 else (self.ink, colour)
            elif code in (39, 49):
                self.ink, self.ground = (INK, self.ground) if code == 39 else (self.ink, GROUND)

    def control(self, arguments, letter):
        if letter == "H":
            self.y, self.x = ([int(word or 1) - 1 for word in arguments.split(";")] + [0])[:2]
        elif letter == "m":
            self.dress(arguments)
        elif letter in "JK":
            rows = range(self.y, ROWS if letter == "J" else self.y + 1)
            for y in rows:
                for x in range(self.x if y == self.y else 0, COLUMNS):
                    self.cells[y][x] = (" ", INK, self.ground, False)

    def play(self, text):
        for match in re.finditer(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b.|[^\x1b]", text, re.S):
            letter = match.group(0)
            if match.group(2):
                self.control(match.group(1), match.group(2))
            elif letter == "\r":
                self.x = 0
            elif letter == "\n":
                self.y += 1
            elif letter >= " " and self.y < ROWS and self.x < COLUMNS:
                self.cells[self.y][self.x] = (letter, self.ink, self.ground, self.bold)
                self.x += 1


def picture(cells):
    """Four pixels for each cell, as a PNG."""
    rows = b""
    for line in cells:
        for half in (0, 2):
            rows += b"\0"
            for letter, ink, ground, _ in line:
                block = BLOCKS.get(letter, 0) >> half
                rows += bytes(ink if block & 1 else ground) + bytes(ink if block & 2 else ground)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", 2 * COLUMNS, 2 * ROWS, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def texts(cells):
    """Runs of letters that look alike; two blanks end one."""
    for y, line in enumerate(cells):
        letters = "".join(" " if letter in BLOCKS else letter for letter, *_ in line)
        for match in re.finditer(r"\S+(?: \S+)*", letters):
            at = match.start()
            while at < match.end():
                end = at + 1
                while end < match.end() and (letters[end] == " " or line[end][1:4:2] == line[at][1:4:2]):
                    end += 1
                yield at, y, letters[at:end].rstrip(), line[at][1], line[at][3]
                at = end


def main():
    screen = Screen()
    with tempfile.TemporaryDirectory() as folder:
        shown = watch(os.path.abspath(sys.argv[1]), folder)
    screen.play(shown[:shown.rindex("\x1b[?1049l")])
    width, height = COLUMNS * WIDE, ROWS * HIGH
    png = base64.b64encode(picture(screen.cells)).decode()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 2 * EDGE}" height="{height + 2 * EDGE}" '
                   'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13">\n'
                   "<title>troupe demo on a terminal</title>\n"
                   f'<rect width="100%" height="100%" rx="8" fill="#{bytes(GROUND).hex()}"/>\n'
                   f'<image x="{EDGE}" y="{EDGE}" width="{width}" height="{height}" preserveAspectRatio="none" '
                   f'style="image-rendering:pixelated" href="data:image/png;base64,{png}"/>\n')
        for x, y, text, colour, bold in texts(screen.cells):
            file.write(f'<text x="{EDGE + x * WIDE}" y="{EDGE + y * HIGH + 12}" fill="#{bytes(colour).hex()}" '
                       f'textLength="{len(text) * WIDE}" xml:space="preserve"'
                       f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>{html.escape(text)}</text>\n')
        file.write("</svg>\n")


main()
