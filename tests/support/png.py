# SPDX-License-Identifier: MIT
"""Reads PNG files of 8-bit RGB, independently of the program under test and of libpng."""
import pathlib
import struct
import zlib


def chunks(path):
    """(kind, data) of every chunk, checksums verified."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b'\x89PNG\r\n\x1a\n', path
    at = 8
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        (crc,) = struct.unpack('>I', data[at + 8 + size : at + 12 + size])
        assert crc == zlib.crc32(kind + body), (path, kind)
        yield kind, body
        at += 12 + size


def size(path):
    """(width, height)"""
    return struct.unpack('>II', next(chunks(path))[1][:8])


def _paeth(left, above, corner):
    guess = left + above - corner
    by = (abs(guess - left), abs(guess - above), abs(guess - corner))
    return (left, above, corner)[by.index(min(by))]


def pixels(path):
    """(width, height, rows as bytes in a row): PNG 1.2, section 6."""
    parts = list(chunks(path))
    width, height, depth, color, _, _, interlace = struct.unpack('>IIBBBBB', parts[0][1])
    assert (depth, color, interlace) == (8, 2, 0), path
    data = zlib.decompress(b''.join(body for kind, body in parts if kind == b'IDAT'))
    stride = 3 * width
    rows, above = [], bytearray(stride)
    for y in range(height):
        kind = data[y * (stride + 1)]
        row = bytearray(data[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride) if kind else ():
            left = row[i - 3] if i >= 3 else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = above[i]
            elif kind == 3:
                guess = (left + above[i]) // 2
            else:
                guess = _paeth(left, above[i], above[i - 3] if i >= 3 else 0)
            row[i] = (row[i] + guess) & 255
        rows.append(bytes(row))
        above = row
    return width, height, b''.join(rows)
