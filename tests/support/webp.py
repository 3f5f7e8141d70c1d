# SPDX-License-Identifier: MIT
"""Reads the structure of animated WebP files, independently of the program under test and of
libwebp (https://developers.google.com/speed/webp/docs/riff_container)."""
import pathlib
import struct


def chunks(data):
    """Pairs (name, content) of a run of RIFF chunks."""
    at = 0
    while at < len(data):
        name, size = struct.unpack_from('<4sI', data, at)
        assert at + 8 + size <= len(data), name
        yield name, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def uint24(data, at):
    return int.from_bytes(data[at : at + 3], 'little')


class Animation:
    """Canvas size [px], number of loops (0 = endless), and the frame durations [ms] of a file."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        kind, size, form = struct.unpack_from('<4sI4s', data)
        assert (kind, form) == (b'RIFF', b'WEBP'), path
        assert size + 8 == len(data), path
        parts = list(chunks(data[12:]))
        header = dict(parts)[b'VP8X']
        self.width, self.height = 1 + uint24(header, 4), 1 + uint24(header, 7)
        self.loops = struct.unpack_from('<H', dict(parts)[b'ANIM'], 4)[0]
        self.durations_ms = [uint24(part, 12) for name, part in parts if name == b'ANMF']
