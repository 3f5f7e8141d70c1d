#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a strip of images for each preset of dynamic-bones, docs/media/preset-NAME.png.

  scripts/preset_images.py [CLIPMILL] [OUT_DIR]      default: the release build, docs/media

All strips show the same band of 0.5 m (8 bones), clamped level at its left end. In the first frame
it is at rest; then the clamp moves back and up by 0.2 m each in 0.2 s and stays there.
"""
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRESETS = (
    *('hair', 'long-hair', 'ponytail', 'skirt', 'cape'),
    *('tail', 'ears', 'antenna', 'rope', 'belly'),
)
BONES, LENGTH_M, HALF_WIDTH_M, HALF_DEPTH_M = 8, 0.5, 0.012, 0.05
START_S, MOVE_S, END_S, MOVE_M, FPS = 0.05, 0.2, 0.9, 0.2, 60


class Buffer:
    """Accessors of a GLB and their bytes."""

    def __init__(self):
        self.data, self.views, self.accessors = b'', [], []

    def add(self, kind, component, rows, with_bounds=False):
        letter = {5121: 'B', 5123: 'H', 5126: 'f'}[component]
        flat = [x for row in rows for x in row]
        raw = struct.pack('<%d%s' % (len(flat), letter), *flat)
        self.views.append({'buffer': 0, 'byteOffset': len(self.data), 'byteLength': len(raw)})
        self.data += raw + bytes(-len(raw) % 4)
        accessor = {'bufferView': len(self.views) - 1, 'componentType': component,
                    'count': len(rows), 'type': kind}
        if with_bounds:
            accessor['min'] = [min(column) for column in zip(*rows)]
            accessor['max'] = [max(column) for column in zip(*rows)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def box(x_from, x_to, half_y, half_z, weights_of, out):
    """Adds a bar along x, cut into rings; weights_of(x) gives (joints, weights)."""
    positions, normals, joints, weights, indices = out
    rings = max(2, round((x_to - x_from) / 0.01))
    for axis, sign in ((1, 1), (1, -1), (2, 1), (2, -1)):
        start = len(positions)
        for ring in range(rings):
            x = x_from + (x_to - x_from) * ring / (rings - 1)
            for side in (-1, 1):
                point, normal = [x, half_y * side, half_z * side], [0.0, 0.0, 0.0]
                point[axis], normal[axis] = (half_y, half_z)[axis - 1] * sign, float(sign)
                joint, weight = weights_of(x)
                positions.append(point), normals.append(normal)
                joints.append(joint), weights.append(weight)
        for ring in range(rings - 1):
            a = start + 2 * ring
            quad = (a, a + 2, a + 3, a + 1)
            if (sign > 0) == (axis == 1):
                quad = quad[::-1]
            indices += [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]
    for x, normal, order in ((x_from, -1.0, 1), (x_to, 1.0, -1)):
        start = len(positions)
        for y, z in ((-1, -1), (-1, 1), (1, 1), (1, -1)):
            joint, weight = weights_of(x)
            positions.append([x, half_y * y, half_z * z]), normals.append([normal, 0.0, 0.0])
            joints.append(joint), weights.append(weight)
        quad = [start, start + 1, start + 2, start + 3][::order]
        indices += [quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]]


def band_weights(x):
    """Half of a bone before each joint and half behind it blend."""
    at = x / LENGTH_M * BONES
    low = min(BONES - 1, max(0, math.floor(at - 0.5)))
    high = min(BONES - 1, low + 1)
    share = min(1.0, max(0.0, at - 0.5 - low))
    return [low + 1, high + 1, 0, 0], [1.0 - share, share, 0.0, 0.0]


def clamp_position(time_s):
    u = min(1.0, max(0.0, (time_s - START_S) / MOVE_S))
    move_m = MOVE_M * (3.0 * u * u - 2.0 * u * u * u)
    return [-move_m, 1.0 + move_m, 0.0]


def write_scene(path):
    buffer, parts = Buffer(), ([], [], [], [], [])
    box(-0.09, -0.001, 0.06, 0.08, lambda x: ([0, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]), parts)
    clamp_end = len(parts[4])
    box(0.0, LENGTH_M, HALF_WIDTH_M, HALF_DEPTH_M, band_weights, parts)
    positions, normals, joints, weights, indices = parts
    attributes = {
        'POSITION': buffer.add('VEC3', 5126, positions, True),
        'NORMAL': buffer.add('VEC3', 5126, normals),
        'JOINTS_0': buffer.add('VEC4', 5121, joints),
        'WEIGHTS_0': buffer.add('VEC4', 5126, weights),
    }
    primitives = [
        {'attributes': attributes, 'material': material,
         'indices': buffer.add('SCALAR', 5123, [[i] for i in part])}
        for material, part in enumerate((indices[:clamp_end], indices[clamp_end:]))
    ]
    nodes = [{'name': 'Clamp', 'translation': [0, 1, 0], 'children': [1]}]
    for i in range(BONES + 1):
        node = {'name': 'Band%d' % i, 'translation': [LENGTH_M / BONES if i else 0.0, 0, 0]}
        if i < BONES:
            node['children'] = [i + 2]
        nodes.append(node)
    nodes.append({'name': 'Skin', 'mesh': 0, 'skin': 0})
    binds = []
    for i in range(BONES + 1):
        x = LENGTH_M / BONES * max(0, i - 1)
        binds.append([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, 0, 0, 1])
    frames = round(END_S * FPS)
    times = buffer.add('SCALAR', 5126, [[i / FPS] for i in range(frames + 1)], True)
    moves = buffer.add('VEC3', 5126, [clamp_position(i / FPS) for i in range(frames + 1)])
    document = {
        'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0, len(nodes) - 1]}],
        'nodes': nodes,
        'materials': [
            {'pbrMetallicRoughness': {'baseColorFactor': color, 'metallicFactor': 0}}
            for color in ([0.35, 0.37, 0.4, 1], [0.8, 0.35, 0.15, 1])
        ],
        'meshes': [{'primitives': primitives}],
        'skins': [{
            'joints': list(range(BONES + 1)),
            'inverseBindMatrices': buffer.add('MAT4', 5126, binds),
        }],
        'animations': [{
            'name': 'Move',
            'samplers': [{'input': times, 'output': moves}],
            'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'translation'}}],
        }],
    }
    document['buffers'] = [{'byteLength': len(buffer.data)}]
    document['bufferViews'], document['accessors'] = buffer.views, buffer.accessors
    text = json.dumps(document).encode()
    text += b' ' * (-len(text) % 4)
    with open(path, 'wb') as file:
        file.write(struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(buffer.data)))
        file.write(struct.pack('<I4s', len(text), b'JSON') + text)
        file.write(struct.pack('<I4s', len(buffer.data), b'BIN\0') + buffer.data)


def recipe_of(preset):
    return '\n'.join((
        '[[stage]]', 'type = "dynamic-bones"', 'loop = "off"', 'preroll_s = 8.0', '[[stage.chain]]',
        'root = "Band0"', 'preset = "%s"' % preset, 'tip_length = 0.0',
        'rest_includes_gravity = false', ''))


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / 'build/release/tools/clipmill/clipmill'
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / 'docs/media')
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        write_scene(work / 'band.glb')
        for preset in PRESETS:
            recipe = work / (preset + '.toml')
            recipe.write_text(recipe_of(preset))
            baked = work / (preset + '.glb')
            run = [program, 'run', work / 'band.glb', '--recipe', recipe, '-o', baked, '-q']
            subprocess.run(run, check=True)
            sheet = out / ('preset-%s.png' % preset)
            subprocess.run([program, 'preview', baked, '--sheet', sheet, '--frames', '7',
                            '--view', 'front', '-q'], check=True)


if __name__ == '__main__':
    main()
