#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a clip before and after as an SVG contact sheet of jointed figures.

  picture.py CLIPMILL BEFORE AFTER CLIP OUT.svg [--frames N] [--from S] [--to S]

Seen from the side and a little from the front. Body in grey, what swings in colour, the path of
each tip behind it.
"""
import argparse
import json
import math
import subprocess

BODY = '#8a8f98'
COLOURS = {'Hair': '#c2703d', 'Skirt': '#4a7fb5', 'Tail': '#b5482e', 'Whip': '#3c7a4b'}
WIDTHS_M = {
    'Hair': 0.030,
    'Skirt': 0.022,
    'Tail': 0.045,
    'Whip': 0.018,
    'UpLeg': 0.13,
    'Leg': 0.10,
    'Foot': 0.07,
    'ForeArm': 0.065,
    'Arm': 0.08,
    'Hand': 0.05,
    'Shoulder': 0.09,
    'Spine': 0.20,
    'Chest': 0.22,
    'Neck': 0.08,
    'Head': 0.17,
    'Hips': 0.20,
    'Toe': 0.06,
}
VIEW_DEGREES = 60  # of turning the figure from the front toward its side
PIXELS_PER_M = 105


def poses(program, path, clip, times):
    text = subprocess.run(
        [program, 'poses', path, '--clip', clip, '--times', ','.join('%.6f' % t for t in times)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    value = json.loads(text)
    return value['nodes'], value['clips'][0]['world']


def project(matrix):
    """(x right, y up, depth towards the eye) of a node's origin, metres."""
    x, y, z = matrix[3::4]
    c, s = math.cos(math.radians(VIEW_DEGREES)), math.sin(math.radians(VIEW_DEGREES))
    return c * x + s * z, y, -s * x + c * z


def kind(name):
    for word in COLOURS:
        if name.startswith(word):
            return word
    return None


def width_of(name):
    for word, width in WIDTHS_M.items():
        if word in name:
            return width
    return 0.05


def figure(nodes, world, origin_x, origin_y):
    """SVG lines of one pose, far ones first."""
    index = {path: i for i, path in enumerate(nodes)}
    lines = []
    for i, path in enumerate(nodes):
        parent, _, name = path.rpartition('/')
        if (
            parent not in index
            or parent.rpartition('/')[2] in ('', 'Root')
            or '/Hips' not in '/' + path
        ):
            continue
        a, b = project(world[index[parent]]), project(world[i])
        swings = kind(name)
        colour = COLOURS[swings] if swings else BODY
        attached = swings and kind(parent.rpartition('/')[2]) != swings
        if attached:
            continue  # from the body to the first joint there is nothing to draw
        width = width_of(name if swings else parent.rpartition('/')[2]) * PIXELS_PER_M
        lines.append(
            (
                (a[2] + b[2]) / 2 + (0.02 if swings else 0),
                '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>'
                % (
                    origin_x + a[0] * PIXELS_PER_M,
                    origin_y - a[1] * PIXELS_PER_M,
                    origin_x + b[0] * PIXELS_PER_M,
                    origin_y - b[1] * PIXELS_PER_M,
                    colour,
                    width,
                ),
            )
        )
        if name == 'Head':
            lines.append(
                (
                    b[2],
                    '<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>'
                    % (
                        origin_x + b[0] * PIXELS_PER_M,
                        origin_y - (b[1] + 0.09) * PIXELS_PER_M,
                        0.105 * PIXELS_PER_M,
                        BODY,
                    ),
                )
            )
    return [line for _, line in sorted(lines, key=lambda entry: entry[0])]


def tips(nodes):
    parents = {path.rpartition('/')[0] for path in nodes}
    return [
        i for i, path in enumerate(nodes) if path not in parents and kind(path.rpartition('/')[2])
    ]


def trails(nodes, worlds, origin_x, origin_y):
    lines = []
    for tip in tips(nodes):
        points = ' '.join(
            '%.1f,%.1f'
            % (
                origin_x + project(w[tip])[0] * PIXELS_PER_M,
                origin_y - project(w[tip])[1] * PIXELS_PER_M,
            )
            for w in worlds
        )
        colour = COLOURS[kind(nodes[tip].rpartition('/')[2])]
        lines.append(
            '<polyline points="%s" fill="none" stroke="%s" stroke-width="1" opacity="0.45"/>'
            % (points, colour)
        )
    return lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ('program', 'before', 'after', 'clip', 'out'):
        parser.add_argument(name)
    parser.add_argument('--frames', type=int, default=7)
    parser.add_argument('--from', dest='begin', type=float, default=0.0)
    parser.add_argument('--to', dest='end', type=float, default=1.0)
    o = parser.parse_args()
    step = (o.end - o.begin) / o.frames
    shown = [o.begin + k * step for k in range(o.frames)]
    cell_w, cell_h, margin = 138, 232, 26
    width, height = cell_w * o.frames, 2 * cell_h + margin
    body = []
    for row, (path, label) in enumerate(((o.before, 'before'), (o.after, 'after'))):
        ground = row * cell_h + cell_h - 12 + margin / 2
        body.append('<text x="8" y="%d">%s</text>' % (row * cell_h + 22, label))
        body.append(
            '<line x1="0" y1="%.1f" x2="%d" y2="%.1f" stroke="#d5d8dc"/>' % (ground, width, ground)
        )
        trail_times = [
            t + d * step / 4
            for t in shown
            for d in range(-3, 1)
            if t + d * step / 4 >= o.begin - 1e-9
        ]
        nodes, worlds = poses(o.program, path, o.clip, sorted(set(shown + trail_times)))
        at = sorted(set(shown + trail_times))
        for k, time in enumerate(shown):
            x = cell_w * (k + 0.5)
            recent = [w for t, w in zip(at, worlds) if time - step <= t <= time + 1e-9]
            body += trails(nodes, recent, x, ground)
            body += figure(nodes, worlds[at.index(time)], x, ground)
    with open(o.out, 'w') as file:
        file.write(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
            'font-family="sans-serif" font-size="14" fill="#555" stroke-linecap="round">\n'
            '<rect width="%d" height="%d" fill="#fff"/>\n%s\n</svg>\n'
            % (width, height, width, height, width, height, '\n'.join(body))
        )


if __name__ == '__main__':
    main()
