# SPDX-License-Identifier: MIT
"""Reads the vertices of Wavefront OBJ files."""


def objects(path):
    """([(names of the group, [(x, y, z)])] in file order, digits after the point)."""
    found, points, group, digits = [], [], [], 0
    for line in open(path, encoding='utf-8'):
        tokens = line.split()
        if not tokens:
            continue
        if tokens[0] == 'v':
            points.append(tuple(float(token) for token in tokens[1:4]))
            digits = max(digits, len(tokens[1].partition('.')[2]))
        elif tokens[0] == 'g':
            group = tokens[1:]
        elif tokens[0] == 'f' and points:  # the first face of an object follows all its points
            found.append((group, points))
            points = []
    return found, digits
