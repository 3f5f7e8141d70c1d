# SPDX-License-Identifier: MIT
"""Reads the vertices of Wavefront OBJ files."""


def objects(path):
    """([(words of the group, [(x, y, z)])] in file order, digits after the point)."""
    found, points, group, digits = [], [], [], 0
    for line in open(path, encoding='utf-8'):
        words = line.split()
        if not words:
            continue
        if words[0] == 'v':
            points.append(tuple(float(word) for word in words[1:4]))
            digits = max(digits, len(words[1].partition('.')[2]))
        elif words[0] == 'g':
            group = words[1:]
        elif words[0] == 'f' and points:  # the first face of an object follows all its points
            found.append((group, points))
            points = []
    return found, digits
