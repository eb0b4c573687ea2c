#!/usr/bin/env python3
"""Scripts (docs/reference/scripts.md) for the urg driver.

    scip_script.py room stream      a made-up sensor in a made-up room, SCIP 2.0, sending by itself
    scip_script.py room asked       the same, asked for each scan
    scip_script.py room fast        the same, which answers at once
    scip_script.py room old         a sensor that speaks SCIP 1.1
    scip_script.py pick FILE COMMAND...
                                    from a recorded session the replies to these commands, in this
                                    order; a * behind a command takes all of its replies that are left

A recorded session is a script already (lines "TIME > TEXT" and "TIME < TEXT"); `pick` leaves out what
another driver asked. Everything goes to standard output."""
import math
import sys

FIRST, FRONT, LAST, STEPS = 44, 384, 725, 1024
SHIFTS = (0, 268)  # where the sensor is; at the second place data looks like information: it ends in ;


# ---- The protocol --------------------------------------------------------------------------------

def encode(value, width):
    return "".join(chr(0x30 + (value >> 6 * (width - 1 - i) & 0x3f)) for i in range(width))


def with_sum(text, counted=None):
    return text + chr((sum((counted or text).encode()) & 0x3f) + 0x30)


def blocks(text):
    return [text[i:i + 64] for i in range(0, len(text), 64)]


# ---- A room --------------------------------------------------------------------------------------

def distance(step, shift):
    """Millimetres to the walls of a room of 4 by 3 m; the sensor drives along it by `shift` mm."""
    angle = (step - FRONT) * 2 * math.pi / STEPS
    across, along = math.sin(angle), math.cos(angle)
    to_side = 1500 / abs(across) if abs(across) > 1e-9 else 1e9
    to_end = (2000 - shift if along > 0 else 2000 + shift) / abs(along) if abs(along) > 1e-9 else 1e9
    value = round(min(to_side, to_end))
    return 0 if 500 <= step < 520 else value  # a window, where nothing comes back


def scan(first, last, shift):
    return [distance(step, shift) for step in range(first, last + 1)]


# ---- Scripts -------------------------------------------------------------------------------------

def escaped(line):
    return line.replace("\\", "\\\\") + "\\n"


def written(line):
    return "> " + escaped(line)


def answer(*lines, delay=None):
    """The lines of one reply and the empty one behind them."""
    marks = [f"+{delay} < " if delay is not None else "< "] + ["< "] * len(lines)
    return [mark + escaped(line) for mark, line in zip(marks, [*lines, ""])]


def information(*pairs):
    """The semicolon does not count."""
    return [with_sum(f"{key}:{value};", f"{key}:{value}") for key, value in pairs]


SCIP2_HELLO = [
    "# The sensor wakes up in SCIP 1.1 and is switched over.",
    written("SCIP2.0"), *answer("SCIP2.0", "0"),
    written("VV"),
    *answer("VV", "00P", *information(("VEND", "Nobody"), ("PROD", "A made-up sensor"),
                                      ("FIRM", "1.0.00"), ("PROT", "SCIP 2.0"), ("SERI", "H0001234"))),
    written("PP"),
    *answer("PP", "00P", *information(("MODL", "URG-04LX"), ("DMIN", 20), ("DMAX", 5600), ("ARES", STEPS),
                                      ("AMIN", FIRST), ("AMAX", LAST), ("AFRT", FRONT), ("SCAN", 600))),
]


def scan_lines(number, shift):
    data = "".join(encode(value, 3) for value in scan(FIRST, LAST, shift))
    return [with_sum(encode(number * 100, 4)), *map(with_sum, blocks(data))]


def switched(on, scans, off):
    """What is switched on and off any number of times, and scans in between."""
    return ["repeat", *on, "repeat", *scans, "end", *off, "end"]


QUIT = [written("QT"), *answer("QT", "00P")]


def stream():
    command = f"MD{FIRST:04}{LAST:04}01000"
    scans = []
    for number, shift in enumerate(SHIFTS):
        scans += answer(command, "99b", *scan_lines(number, shift), delay=0.1)
    return SCIP2_HELLO + switched([written(command), *answer(command, "00P")], scans, QUIT)


def asked(delay=0.1):
    command = f"GD{FIRST:04}{LAST:04}01"
    scans = []
    for number, shift in enumerate(SHIFTS):
        scans += [written(command), *answer(command, "00P", *scan_lines(number, shift), delay=delay)]
    return SCIP2_HELLO + switched([written("BM"), *answer("BM", "00P")], scans, QUIT)


def fast():
    return asked(None)


def old():
    command = f"G{FIRST:03}{LAST:03}01"
    scans = []
    for shift in SHIFTS:
        data = "".join(encode(value, 2) for value in scan(FIRST, LAST, shift))
        scans += [written(command), *answer(command, "0", *blocks(data), delay=0.1)]
    return ["# It does not know the command that switches to SCIP 2.0.",
            written("SCIP2.0"), *answer("SCIP2.0", "E"), written("V"),
            *answer("V", "0", "VEND:Nobody", "PROD:A made-up sensor", "FIRM:0.9.00",
                    "PROT:00003,(SCIP 1.0)", "SERI:H0000042"),
            *switched([written("L1"), *answer("L1", "0")], scans, [written("L0"), *answer("L0", "0")])]


# ---- Recorded sessions ---------------------------------------------------------------------------

def exchanges(path):
    """Each command of a session with all lines that belong to it."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            words = line.split(" ", 2)
            if line.startswith("#") or len(words) < 3:
                continue
            if words[1] == ">":
                found.append((words[2].removesuffix("\\n"), []))
            if found:
                found[-1][1].append(line)
    return found


def pick(path, *commands):
    session = exchanges(path)
    lines = [f"# Picked from {path.rsplit('/', 1)[-1]}."]
    for command in commands:
        name = command.removesuffix("*")
        chosen = [reply for asked_for, reply in session if asked_for == name]
        if not chosen:
            sys.exit(f"{path}: nobody sends {name}")
        for reply in chosen if command.endswith("*") else chosen[:1]:
            lines += reply
    return lines


def main(arguments):
    rooms = {"stream": stream, "asked": asked, "fast": fast, "old": old}
    if len(arguments) == 2 and arguments[0] == "room" and arguments[1] in rooms:
        lines = ["# Made by: scip_script.py " + " ".join(arguments), *rooms[arguments[1]]()]
    elif len(arguments) > 2 and arguments[0] == "pick":
        lines = pick(*arguments[1:])
    else:
        sys.exit(__doc__)
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
