"""PNG pictures, as far as tests need them: what their pixels are, and how much two of them differ."""
import struct
import zlib


def chunks(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "this is no PNG"
    at = 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        yield kind, body
        at += 12 + length


def head(data):
    """Width, height, bits of a channel, kind of pixels."""
    kind, body = next(chunks(data))
    assert kind == b"IHDR"
    return struct.unpack(">IIBB", body[:10])


def raw(data):
    """The rows with their filters."""
    return zlib.decompress(b"".join(body for kind, body in chunks(data) if kind == b"IDAT"))


def guess(kind, left, above, corner):
    if kind == 4:
        p = left + above - corner
        nearest = min((abs(p - left), 0, left), (abs(p - above), 1, above), (abs(p - corner), 2, corner))
        return nearest[2]
    return (0, left, above, (left + above) // 2)[kind]


def rows(data):
    """The pixels of a picture with red, green and blue, row by row."""
    width, height, depth, kind = head(data)
    assert (depth, kind) == (8, 2), "only RGB"
    text, size, above = raw(data), 3 * width, bytes(3 * width)
    for y in range(height):
        kind, row = text[y * (size + 1)], bytearray(text[y * (size + 1) + 1:(y + 1) * (size + 1)])
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind != 0:
            for x in range(size):
                left, corner = (row[x - 3], above[x - 3]) if x >= 3 else (0, 0)
                row[x] = (row[x] + guess(kind, left, above[x], corner)) & 255
        above = bytes(row)
        yield above


def difference(one, other):
    """The share of bytes that differ by more than can be told from rounding."""
    if one == other:
        return 0
    assert head(one)[:2] == head(other)[:2], "of different sizes"
    different = count = 0
    for a, b in zip(rows(one), rows(other)):
        different += sum(abs(x - y) > 12 for x, y in zip(a, b))
        count += len(a)
    return different / count
