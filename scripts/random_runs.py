#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every stage with random valid settings on random extreme motion, and on given files.

  scripts/random_runs.py [--program P] [--seed N] [--runs N] [--seconds S] [--keep FOLDER]
                 [--stage NAME].. [--kind NAME].. [FILE..]
  scripts/random_runs.py --defaults FOLDER [--stage NAME].. [--timeout S] [--seconds S]

With --defaults, runs every stage with its defaults on each file of a folder instead, FBX to FBX and
others to GLB; what takes longer than --timeout is counted and is no failure.

A run fails where the program crashes, ends with code 70, takes longer than --timeout, or writes a
number that is not finite. Made motion teleports, spins, has bones without length, collapsed scales,
one frame or very many, and thousands of joints, but no value that is not finite. The same seed
makes the same runs. Prints one line for each failure and a summary; exit code 1 where there are
failures. A build with sanitizers or -D_GLIBCXX_ASSERTIONS finds more.
"""
import argparse
import collections
import json
import math
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tests/support'))
import glb  # noqa: E402

# Name, parent, offset from the parent [m].
BODY = [
    ('Hips', -1, (0, 1, 0)), ('Spine', 0, (0, 0.15, 0)), ('Chest', 1, (0, 0.2, 0)),
    ('Neck', 2, (0, 0.2, 0)), ('Head', 3, (0, 0.1, 0)),
    ('LeftShoulder', 2, (0.06, 0.15, 0)), ('LeftArm', 5, (0.12, 0, 0)),
    ('LeftForeArm', 6, (0.28, 0, 0)), ('LeftHand', 7, (0.25, 0, 0)),
    ('RightShoulder', 2, (-0.06, 0.15, 0)), ('RightArm', 9, (-0.12, 0, 0)),
    ('RightForeArm', 10, (-0.28, 0, 0)), ('RightHand', 11, (-0.25, 0, 0)),
    ('LeftUpLeg', 0, (0.1, -0.05, 0)), ('LeftLeg', 13, (0, -0.42, 0)),
    ('LeftFoot', 14, (0, -0.42, 0)), ('LeftToeBase', 15, (0, -0.08, 0.12)),
    ('RightUpLeg', 0, (-0.1, -0.05, 0)), ('RightLeg', 17, (0, -0.42, 0)),
    ('RightFoot', 18, (0, -0.42, 0)), ('RightToeBase', 19, (0, -0.08, 0.12)),
    ('Tail1', 0, (0, 0, -0.1)), ('Tail2', 21, (0, 0, -0.15)), ('Tail3', 22, (0, 0, -0.15)),
]
KINDS = ['walk', 'teleport', 'spin', 'no_length', 'collapsed', 'mirrored', 'still', 'one_frame',
         'two_frames', 'far', 'tiny', 'long', 'crowd', 'gaps']
# With --kind only: 100,000 frames, 20,000 joints one below the other.
LARGE_KINDS = ['very_long', 'very_crowded']


def unit(q):
    length = math.sqrt(sum(x * x for x in q)) or 1.0
    return [x / length for x in q]


class Motion:
    """A GLB of a skinned body with a tail with one kind of extreme motion."""

    def __init__(self, chance, kind):
        self.chance, self.kind = chance, kind
        self.frames = {
            'one_frame': 1, 'two_frames': 2, 'long': 4000, 'very_long': 100000, 'very_crowded': 30
        }.get(kind, chance.randint(5, 90))
        self.fps = chance.choice([24.0, 29.97, 30.0, 60.0, 120.0])
        self.joints = list(BODY)
        if kind in ('crowd', 'very_crowded'):
            for k in range(20000 if kind == 'very_crowded' else chance.choice([300, 2000])):
                self.joints.append(('Extra%d' % k, len(self.joints) - 1, (0, 0.01, 0)))
        self.scale = {'far': 1e4, 'tiny': 1e-4}.get(kind, 1.0)

    def times(self):
        times, now = [], self.chance.choice([0.0, 0.0, 1.5, 100.0])
        for _ in range(self.frames):
            times.append(now)
            now += (1.0 if self.kind != 'gaps' else self.chance.choice([0.001, 1, 40])) / self.fps
        return times

    def rotation(self, joint, t):
        if self.kind == 'still':
            return [0, 0, 0, 1]
        if self.kind == 'spin':
            angle, axis = t * self.chance.choice([50.0, 400.0]), [0, 1, 0]
        elif self.kind == 'teleport' and self.chance.random() < 0.1:
            return unit([self.chance.gauss(0, 1) for _ in range(4)])
        else:
            angle, axis = 0.4 * math.sin(6.0 * t + joint), [1, 0, 0]
        s = math.sin(angle / 2)
        return [axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2)]

    def position(self, t):
        x, y, z = 0.0, 1.0 + 0.02 * math.sin(12 * t), 1.2 * t
        if self.kind == 'teleport' and self.chance.random() < 0.1:
            x, z = self.chance.uniform(-1e3, 1e3), self.chance.uniform(-1e3, 1e3)
        if self.kind in ('still', 'far'):
            z = 1e4 if self.kind == 'far' else 0.0
        return [x * self.scale, y * self.scale, z * self.scale]

    def size(self):
        if self.kind == 'collapsed':
            return [self.chance.choice([0.0, 1.0, 1e-9]) for _ in range(3)]
        if self.kind == 'mirrored':
            return [-1.0, 1.0, 1.0]
        return [1.0, 1.0, 1.0]

    def file(self):
        value = {'asset': {'version': '2.0'}, 'scene': 0, 'accessors': [], 'bufferViews': []}
        data = bytearray()

        def accessor(kind, component, form, rows, **members):
            data.extend(bytes(-len(data) % 4))
            start = len(data)
            for row in rows:
                data.extend(struct.pack('<' + form, *row))
            value['bufferViews'].append(
                {'buffer': 0, 'byteOffset': start, 'byteLength': len(data) - start}
            )
            value['accessors'].append(
                {'bufferView': len(value['bufferViews']) - 1, 'componentType': component,
                 'count': len(rows), 'type': kind, **members}
            )
            return len(value['accessors']) - 1

        nodes = []
        for name, _, offset in self.joints:
            factor = 0.0 if self.kind == 'no_length' and self.chance.random() < 0.3 else self.scale
            nodes.append({'name': name, 'translation': [x * factor for x in offset]})
        worlds = []
        for k, (_, parent, _) in enumerate(self.joints):
            if parent >= 0:
                nodes[parent].setdefault('children', []).append(k)
            above = worlds[parent] if parent >= 0 else (0, 0, 0)
            worlds.append([a + b for a, b in zip(above, nodes[k]['translation'])])
        positions, owners, indices = self.skin(worlds)
        low = [min(p[a] for p in positions) for a in range(3)]
        high = [max(p[a] for p in positions) for a in range(3)]
        single = [struct.unpack('<3f', struct.pack('<3f', *v)) for v in (low, high)]
        attributes = {
            'POSITION': accessor('VEC3', 5126, '3f', positions, min=single[0], max=single[1]),
            'JOINTS_0': accessor('VEC4', 5123, '4H', [[o, 0, 0, 0] for o in owners]),
            'WEIGHTS_0': accessor('VEC4', 5126, '4f', [[1, 0, 0, 0]] * len(owners)),
        }
        binds = accessor(
            'MAT4', 5126, '16f',
            [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, *[-x for x in w], 1] for w in worlds],
        )
        primitive = {
            'attributes': attributes,
            'indices': accessor('SCALAR', 5125, 'I', [[i] for i in indices]),
        }
        nodes.append({'name': 'Body', 'mesh': 0, 'skin': 0})
        times = self.times()
        times = [struct.unpack('<f', struct.pack('<f', t))[0] for t in times]
        clock = accessor('SCALAR', 5126, 'f', [[t] for t in times], min=[times[0]], max=[times[-1]])
        animation = {'name': 'Clip', 'samplers': [], 'channels': []}

        def channel(node, path, kind, form, rows):
            animation['channels'].append(
                {'sampler': len(animation['samplers']), 'target': {'node': node, 'path': path}}
            )
            output = accessor(kind, 5126, form, rows)
            animation['samplers'].append({'input': clock, 'output': output})

        channel(0, 'translation', 'VEC3', '3f', [self.position(t) for t in times])
        for k in range(min(len(self.joints), 200)):
            channel(k, 'rotation', 'VEC4', '4f', [self.rotation(k, t) for t in times])
        if self.kind in ('collapsed', 'mirrored'):
            node = self.chance.randrange(len(BODY))
            channel(node, 'scale', 'VEC3', '3f', [self.size() for _ in times])
        value.update(
            nodes=nodes,
            scenes=[{'nodes': [0, len(nodes) - 1]}],
            meshes=[{'primitives': [primitive]}],
            skins=[{'joints': list(range(len(self.joints))), 'inverseBindMatrices': binds}],
            animations=[animation], buffers=[{'byteLength': len(data)}],
        )
        return glb.assemble(value, bytes(data))

    def skin(self, worlds):
        """A small box around each joint of the body."""
        positions, owners, indices = [], [], []
        for k in range(len(BODY)):
            first = len(positions)
            size = 0.06 * self.scale
            for corner in range(8):
                signs = [1 if corner >> a & 1 else -1 for a in range(3)]
                positions.append([w + s * size for w, s in zip(worlds[k], signs)])
                owners.append(k)
            faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4)]
            faces += [(2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
            for a, b, c, d in faces:
                indices += [first + i for i in (a, b, c, a, c, d)]
        return positions, owners, indices


class Recipes:
    """Random valid settings of each stage, from the schema of recipes."""

    def __init__(self, program, chance):
        schema = json.loads(subprocess.check_output([program, '--schema'], text=True))
        self.chance = chance
        self.stages = {}
        for stage in schema['properties']['stage']['items']['oneOf']:
            self.stages[stage['properties']['type']['const']] = stage['properties']
        self.output = schema['properties']['output']['properties']

    def value(self, key, field):
        if 'enum' in field:
            return self.chance.choice(field['enum'])
        kind = field.get('type')
        if kind == 'boolean':
            return self.chance.random() < 0.5
        if kind in ('number', 'integer'):
            low = field.get('minimum', field.get('exclusiveMinimum', -1e3))
            high = field.get('maximum', field.get('exclusiveMaximum', max(low, 0) + 1e3))
            if key.endswith('_s'):
                high = min(high, 2.0)  # clips are about as long
            if self.chance.random() < 0.2:
                number = self.chance.choice([low, high])
            elif low >= 0 and high > 100 * max(low, 1e-3):
                least = max(low, 1e-3)
                number = least * (high / least) ** self.chance.random()
            else:
                number = self.chance.uniform(low, high)
            return round(number) if kind == 'integer' else number
        if kind == 'string' and ('joint' in key or key in ('root', 'node')):
            return self.chance.choice(BODY)[0]
        return None

    def settings(self, properties, share):
        result = {}
        for key, field in properties.items():
            if key == 'type' or self.chance.random() > share:
                continue
            if 'fps' in key:
                continue  # a run of many thousand frames is no test of settings
            value = self.value(key, field)
            if value is not None:
                result[key] = value
        return result

    def needed(self, name):
        """What a stage has no default for."""
        if name == 'dynamic-bones':
            return {'chain': [{'root': 'Tail1'}]}
        if name in ('blend', 'concat'):
            return {'with': [{'clip': 'Clip'}]}
        if name == 'stretch':
            return {'distance_m': self.chance.uniform(0.1, 20.0)}
        if name == 'trim':
            return {'end_s': 0.05}
        if name == 'rename':
            return {'to': 'New {}'}
        return {}

    def recipe(self, name, share):
        stage = {**self.needed(name), **self.settings(self.stages[name], share), 'type': name}
        return {'output': self.settings(self.output, share), 'stage': [stage]}


def unfinite(path):
    """What of a written GLB is no finite number; None where all is."""
    value, _, binary = glb.read(path)
    for a, accessor in enumerate(value.get('accessors', [])):
        if accessor['componentType'] != 5126 or 'bufferView' not in accessor:
            continue
        view = value['bufferViews'][accessor['bufferView']]
        if 'byteStride' in view or 'extensions' in view:
            continue
        width = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}[accessor['type']]
        start = view.get('byteOffset', 0) + accessor.get('byteOffset', 0)
        numbers = struct.unpack_from('<%df' % (accessor['count'] * width), binary, start)
        if not all(map(math.isfinite, numbers)):
            return 'accessors[%d]' % a
    return None


def run_one(options, folder, source, recipe, output='out.glb'):
    """None where all is well, else what is wrong; and the exit code."""
    for old in folder.glob('out*'):
        old.unlink()
    (folder / 'recipe.json').write_text(json.dumps(recipe))
    command = [options.program, 'run', source, '--recipe', folder / 'recipe.json', '-o',
               folder / output, '-q', '--report', folder / 'out.json']
    try:
        process = subprocess.run(command, capture_output=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return 'takes longer than %g s' % options.timeout, None
    text = process.stderr.decode('utf-8', 'replace').strip()
    if process.returncode not in (0, 2, 3):
        return 'ends with %d: %s' % (process.returncode, text[-300:]), process.returncode
    try:
        process.stderr.decode('utf-8')
    except UnicodeDecodeError:
        return 'prints what is no UTF-8', process.returncode
    if process.returncode != 0:
        return None, process.returncode
    bad = unfinite(folder / output) if output.endswith('.glb') else None
    return ('writes what is not finite: ' + bad if bad else None), 0


def default_recipe(name, clip):
    """Of a stage on any character: what it has no default for is as mild as can be."""
    needed = {
        'dynamic-bones': {'auto': True}, 'blend': {'with': [{'clip': clip}]},
        'concat': {'with': [{'clip': clip}]}, 'stretch': {'distance_m': 2.0},
        'trim': {'end_s': 0.05}, 'rename': {'to': 'New {}'},
    }
    return {'stage': [{**needed.get(name, {}), 'type': name}]}


def run_defaults(options, names, folder):
    """Each stage on each file. The number of failures."""
    counts, failures = collections.Counter(), 0
    kinds = ('.glb', '.gltf', '.vrm', '.vrma', '.fbx', '.bvh')
    files = [p for p in sorted(pathlib.Path(options.defaults).rglob('*')) if p.suffix in kinds]
    clips = {}
    for source in files:
        process = subprocess.run(
            [options.program, 'info', source, '--json'], capture_output=True, timeout=600
        )
        read = json.loads(process.stdout) if process.returncode == 0 else {}
        clips[source] = [clip['name'] for clip in read.get('clips', [])]
    end = time.monotonic() + (options.seconds or math.inf)
    for stage in names:
        for source in (p for p in files if clips[p]):
            if time.monotonic() > end:
                break
            output = 'out.fbx' if source.suffix == '.fbx' else 'out.glb'
            recipe = default_recipe(stage, clips[source][0])
            wrong, code = run_one(options, folder, source, recipe, output)
            counts['too long' if wrong and code is None else 'exit %s' % code] += 1
            if wrong:
                print('%s on %s %s' % (stage, source.name, wrong), flush=True)
                failures += code is not None
    print('%d runs with defaults: %d failures; %s' % (counts.total(), failures, dict(counts)))
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default=str(ROOT / 'build/release/tools/clipmill/clipmill'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=10**9)
    parser.add_argument('--seconds', type=float, help='default: 60; all files with --defaults')
    parser.add_argument('--timeout', type=float, default=60.0)
    parser.add_argument('--keep', help='folder for what failed')
    parser.add_argument('--stage', action='append', help='only these stages')
    parser.add_argument('--kind', action='append', choices=KINDS + LARGE_KINDS,
                        help='only these kinds of motion')
    parser.add_argument('--defaults', help='every stage with its defaults on the files in there')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    chance = random.Random(options.seed)
    recipes = Recipes(options.program, chance)
    names = options.stage or list(recipes.stages)
    counts, failures = collections.Counter(), 0
    if options.defaults:
        with tempfile.TemporaryDirectory(prefix='clipmill-random-') as name:
            return 1 if run_defaults(options, names, pathlib.Path(name)) else 0
    end = time.monotonic() + (options.seconds or 60.0)
    with tempfile.TemporaryDirectory(prefix='clipmill-random-') as name:
        folder = pathlib.Path(name)
        for number in range(options.runs):
            if time.monotonic() > end:
                break
            stage = names[number % len(names)]
            kind = chance.choice(options.kind or KINDS)
            source = folder / 'in.glb'
            if options.files and chance.random() < 0.5:
                source = pathlib.Path(chance.choice(options.files)).resolve()
                kind = source.name
            else:
                source.write_bytes(Motion(chance, kind).file())
            # The defaults, a few settings, or nearly all.
            recipe = recipes.recipe(stage, chance.choice([0.0, 0.1, 0.3, 0.8]))
            wrong, code = run_one(options, folder, source, recipe)
            counts['exit %s' % code] += 1
            if wrong is None:
                continue
            failures += 1
            print('run %d: %s on %s %s' % (number, stage, kind, wrong), flush=True)
            if options.keep:
                kept = pathlib.Path(options.keep) / ('run-%d-%d' % (options.seed, number))
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, kept)
                shutil.copy(folder / 'recipe.json', kept)
    total = sum(counts.values())
    print('%d runs, seed %d: %d failures; %s' % (total, options.seed, failures, dict(counts)))
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
