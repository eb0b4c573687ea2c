"""changes.py - small mistakes in C code, and a file that contains all of them.

mutants_of() finds the changes of a file. with_all() writes one file that contains them side by side; each is chosen by the
environment variable TROUPE_MUTANT when the program starts. So the tests are built once, not once for each change."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# ---- Changes --------------------------------------------------------------------------------------

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
STATEMENT = re.compile(r"^\s+(\(void\))?[a-z_][\w>.\[\]()&*-]*(->\w+)?\(.*\);$")
ASSIGNMENT = re.compile(r"^\s+\*?[a-z_][\w>.\[\]-]*(->|\.|\[)[\w>.\[\]-]* (=|\+=|-=|\|=) .*;$")


def blank_comments(text):
    """The same text with comments and strings as blanks, so that places stay."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found.group())
    return re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


def inside_functions(lines):
    """For each line the name of its function, or None. Functions end with a } in the first column."""
    names = []
    name = None
    for number, line in enumerate(lines):
        if line.startswith("{"):
            back = number
            while back > 0 and lines[back - 1].strip() and not lines[back - 1].startswith(("}", "#")):
                back -= 1
            found = re.search(r"(\w+)\(", " ".join(lines[back:number]))
            name = found.group(1) if found else None
            names.append(None)
            continue
        if line.startswith("}"):
            name = None
        names.append(name)
    return names


class Mutant:
    def __init__(self, path, line, function, operator, before, after):
        self.path, self.line, self.function, self.operator = path, line, function, operator
        self.before, self.after = before, after

    def key(self):
        return " | ".join((self.path, self.function, self.operator, " ".join(self.before.split()),
                           " ".join(self.after.split())))


def changes_of_line(code, line, begins):
    """Pairs of an operator and the changed line. `code` is the line without comments and strings; `begins`: it is not the rest
    of a statement."""
    if "assert" in code or re.match(r"^\s+(char|double) \w+\[", code):  # room
        return
    for found in re.finditer(r"<=|>=|==|!=|&&|\|\||(?<=\s)[<>](?=\s)", code):
        yield "comparison", line[:found.start()] + COMPARISONS[found.group()] + line[found.end():]
    # A number beside a comparison is left to "comparison": one more or less of nanoseconds is nothing. {0} is no number.
    for found in re.finditer(r"(?<![<>=!] )(?<![\w.{])([0-9])(?![\w.])", code):
        changed = str(int(found.group(1)) + 1)
        yield "off by one", line[:found.start()] + changed + line[found.end():]
    found = re.match(r"^(\s*(?:\} else )?(?:if|while) \()(.*)(\) \{)$", code)
    if found:
        start, end = found.span(2)
        yield "negated condition", line[:start] + "!(" + line[start:end] + ")" + line[end:]
    found = re.match(r"^\s+return (.*);$", code)
    if found and re.search(r"==|!=|&&|\|\|| [<>]=? ", code) and "?" not in code:
        start, end = found.span(1)
        yield "negated condition", line[:start] + "!(" + line[start:end] + ")" + line[end:]
    if begins and STATEMENT.match(code) and not code.strip().startswith("return"):
        yield "dropped call", re.match(r"^\s*", line).group() + ";" + line[len(code):]
    if begins and ASSIGNMENT.match(code):
        yield "dropped assignment", re.match(r"^\s*", line).group() + ";" + line[len(code):]


def depend(first, second):
    """Whether the order of two statements can matter: two calls that do not only print, or a call and what it may read."""
    calls = [bool(STATEMENT.match(code)) for code in (first, second)]
    if all(calls):
        return not all(code.strip().startswith("(void)snprintf(") for code in (first, second))
    if not any(calls):
        return False
    call, assignment = (first, second) if calls[0] else (second, first)
    target = re.findall(r"\w+", assignment.split("=")[0])[-1]
    return re.search(r"\b%s\b" % target, call) is not None


def mutants_of(path):
    text = open(os.path.join(ROOT, path)).read()
    lines = text.split("\n")
    codes = blank_comments(text).split("\n")
    names = inside_functions(codes)
    begins = [("{;" + " ".join(codes[:n]).rstrip())[-1] in "{};:" for n in range(len(codes))]
    simple = [begins[n] and bool(STATEMENT.match(c) or ASSIGNMENT.match(c)) and "assert" not in c
              for n, c in enumerate(map(str.rstrip, codes))]
    for number, line in enumerate(lines):
        if names[number] is None:
            continue
        code = codes[number].rstrip()
        for operator, after in changes_of_line(code, line, begins[number]):
            yield Mutant(path, number, names[number], operator, line, after)
        following = number + 1
        if simple[number] and following < len(lines) and simple[following] and \
                depend(code, codes[following].rstrip()) and re.match(r"^\s*", line).group() == re.match(r"^\s*", lines[following]).group():
            yield Mutant(path, number, names[number], "order", line + "\n" + lines[following],
                         lines[following] + "\n" + line)


# ---- All changes in one file -----------------------------------------------------------------------

PREAMBLE = """#pragma GCC system_header /* no warnings: conditions that are always true are meant */
#include <stdlib.h>
static int mutant_chosen;
__attribute__((constructor)) static void choose_mutant(void)
{
    mutant_chosen = getenv("TROUPE_MUTANT") != NULL ? atoi(getenv("TROUPE_MUTANT")) : -1;
}
"""
DECLARATION = re.compile(r"(?!return)(?:(?:const|static|struct|unsigned) )*\w+(?: |(?: ?\*)+(?:const )?)\w+(?:\[[^\]]*\])?(?: =\s+|;)")


def closing(code, start):
    """The place behind the bracket that closes the one at `start`."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] in "([{") - (code[place] in ")]}")
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is not closed")


def end_of_statement(code, start):
    place = start
    while code[place] != ";":
        place = closing(code, place) if code[place] in "([{" else place + 1
    return place + 1


class Region:
    """A part of the text that can be replaced as a whole: an expression, or statements."""

    def __init__(self, start, end, is_expression):
        self.start, self.end, self.is_expression = start, end, is_expression


def regions_of_header(code, start):
    """The condition in the brackets at `start`; of three parts (for) the second one, and the value of the first."""
    end = closing(code, start) - 1
    parts = [place for place in range(start, end) if code[place] == ";"]
    if not parts:
        return [Region(start + 1, end, True)]
    value = DECLARATION.match(code, start + 1, parts[0])
    first = [Region(value.end(), parts[0], True)] if value else []
    return first + [Region(parts[0] + 1, parts[1], True)]


def regions_of_values(code, start, end):
    """The values of a declaration: what follows its first `=`, up to the next comma; and so on."""
    regions, first, place = [], start, start
    while place <= end:
        if place == end or code[place] == ",":
            regions += [Region(first, place, True)] if first is not None else []
            found = re.compile(r",\s*[\w*]+ =\s+").match(code, place, end)
            first = found.end() if found else None
            place = first if found and code[first] != "{" else place + 1
            first = None if found and code[found.end()] == "{" else first
        else:
            place = closing(code, place) if code[place] in "([{" else place + 1
    return regions


def regions_of(code):
    """The regions of all functions, in order. `code` has no comments and strings."""
    regions = []
    for function in re.finditer(r"^\{$", code, flags=re.M):
        place, end = function.end(), closing(code, function.start()) - 1
        while place < end:
            found = re.compile(r"[\s{}]+|(?:else|do)\b|(?:case [^;{]*?|default):").match(code, place)
            header = re.compile(r"(?:if|while|for|switch) (?=\()").match(code, place)
            if found:
                place = found.end()
            elif header:
                regions += regions_of_header(code, header.end())
                place = closing(code, header.end())
            else:
                stop = end_of_statement(code, place)
                value = DECLARATION.match(code, place, stop)
                if not value:
                    regions.append(Region(place, stop, False))
                elif value.end() < stop and code[value.end()] != "{":
                    regions += regions_of_values(code, value.end(), stop - 1)
                place = stop
    return regions


def spot_of(mutant, text, starts):
    """Where the text differs, and what is there then: (start, end, new text)."""
    start = starts[mutant.line]
    end = start + len(mutant.before)
    assert text[start:end] == mutant.before
    same = os.path.commonprefix([mutant.before, mutant.after])
    same_end = os.path.commonprefix([mutant.before[len(same):][::-1], mutant.after[len(same):][::-1]])
    return start + len(same), end - len(same_end), mutant.after[len(same):len(mutant.after) - len(same_end)]


def join(regions, first, last):
    """The regions from `first` to `last` become one of statements."""
    if first != last:
        assert not any(region.is_expression for region in regions[first:last + 1])
        regions[first:last + 1] = [Region(regions[first].start, regions[last].end, False)]


def written(region, text, choices):
    """The region with all its changes: (number, start, end, new text)."""
    def changed(start, end, new):
        return text[region.start:start] + new + text[end:region.end]
    original = text[region.start:region.end]
    if region.is_expression:
        return "(%s (%s))" % ("".join("mutant_chosen == %d ? (%s) : " % (n, changed(*spot)) for n, *spot in choices), original)
    return "%s { %s }" % ("".join("if (mutant_chosen == %d) { %s } else " % (n, changed(*spot)) for n, *spot in choices), original)


def with_all(path, numbered):
    """The text of the file with the changes (number, mutant) in it, and the numbers of those that have no place in it."""
    text = open(os.path.join(ROOT, path)).read()
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    regions = regions_of(blank_comments(text))
    spots = [(number, *spot_of(mutant, text, starts)) for number, mutant in numbered]
    for _, start, end, _ in spots:
        touched = [i for i, region in enumerate(regions) if region.start < end and start < region.end]
        if touched:
            join(regions, touched[0], touched[-1])
    choices = [[spot for spot in spots if region.start <= spot[1] and spot[2] <= region.end] for region in regions]
    made = {spot[0] for chosen in choices for spot in chosen}
    out, place = [PREAMBLE], 0
    for region, chosen in zip(regions, choices):
        out.append(text[place:region.start])
        out.append(written(region, text, chosen) if chosen else text[region.start:region.end])
        place = region.end
    return "".join(out) + text[place:], {number for number, _ in numbered} - made


def possible_mutants_of(path):
    """Those that have a place in a file with all of them."""
    mutants = list(mutants_of(path))
    missing = with_all(path, list(enumerate(mutants)))[1]
    return [mutant for number, mutant in enumerate(mutants) if number not in missing]


WRITER = re.compile(r"\s*(memcpy|memset|tpi_motion_store16|tpi_store_be32|tpi_store_be64)\((\w[^,]*),")


def is_the_same(mutant):
    """Whether the change shows to be none: the smaller of two equal numbers, bytes written to two places in another order, a digit
    of an exponent."""
    smaller = re.search(r"(?:= |return |\()([\w>.\[\]() -]+?) [<>]=? ([\w>.\[\]() -]+?) \? (.+?) : (.+?)[;)]", mutant.before)
    if mutant.operator == "comparison" and smaller and {smaller.group(1), smaller.group(2)} == {smaller.group(3), smaller.group(4)}:
        return True
    if mutant.operator == "order":
        lines = mutant.before.split("\n")
        writes = [WRITER.match(line) for line in lines]
        return all(writes) and writes[0].group(2) != writes[1].group(2)
    return mutant.operator == "off by one" and re.sub(r"\de-?\d+", "", mutant.before) == re.sub(r"\de-?\d+", "", mutant.after)
