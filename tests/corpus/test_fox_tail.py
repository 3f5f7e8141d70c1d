# SPDX-License-Identifier: MIT
"""A tail baked on a real fox: what changes, what does not, and how far it can be trusted."""
import json
import math
import struct
import unittest

import corpus
import glb
from clipmill_process import ProcessTest

FOX = corpus.CORPUS / 'gltf' / 'bevyengine__Fox.glb'
TAIL = ['b_Tail01_012', 'b_Tail02_013', 'b_Tail03_014']
CHAIN = ['--chain', TAIL[0]]
FRAME_RATE = 24  # of its keys


def cubic(values, frame):
    """Catmull and Rom's cubic through vectors or unit quaternions at whole frames."""
    i = min(int(frame + 1e-6), len(values) - 2)
    f = min(frame - i, 1.0)
    around = [[float(x) for x in values[k]] for k in range(max(i - 1, 0), min(i + 3, len(values)))]
    if len(around[0]) == 4:
        for k in range(1, len(around)):
            if sum(a * b for a, b in zip(around[k - 1], around[k])) < 0:
                around[k] = [-x for x in around[k]]
    # Beyond the ends on the parabola through three frames.
    if i == 0:
        around.insert(0, [3 * a - 3 * b + c for a, b, c in zip(*around[:3])])
    if i + 2 == len(values):
        around.append([3 * a - 3 * b + c for a, b, c in zip(*around[:-4:-1])])
    weights = (
        -0.5 * f + f**2 - 0.5 * f**3,
        1 - 2.5 * f**2 + 1.5 * f**3,
        0.5 * f + 2 * f**2 - 1.5 * f**3,
        -0.5 * f**2 + 0.5 * f**3,
    )
    value = [sum(w * v[k] for w, v in zip(weights, around)) for k in range(len(around[0]))]
    return value if len(value) == 3 else [x / math.hypot(*value) for x in value]


class FoxTail(ProcessTest):
    def bake(self, *arguments, source=FOX, output='out.glb'):
        return self.run_clipmill('dynamic-bones', source, '-o', output, *CHAIN, *arguments)

    def evaluate(self, path, times):
        """{clip index: [t][node] = 3x4} by the independent evaluator, and the node names."""
        module = corpus.evaluator()
        file = module.Gltf(str(path))
        worlds = []
        for index, at in enumerate(times):
            worlds.append(module.evaluate(file, clip=str(index), times=at)['clips'][0]['world'])
        return worlds, [n.get('name') for n in file.nodes]

    def clip_times(self, fps):
        info = self.run_json('info', FOX, '--json')
        times = []
        for clip in info['clips']:
            count = int(math.floor((clip['end_s'] - clip['start_s']) * fps + 1e-6))
            times.append([clip['start_s'] + k / fps for k in range(count + 1)])
        return times

    def test_only_the_tail_changes(self):
        self.bake()
        before, text, binary = glb.read(FOX)
        after, new_text, new_binary = glb.read(self.folder / 'out.glb')
        self.assertTrue(new_binary.startswith(binary))
        for key in before:
            if key not in ('animations', 'accessors', 'bufferViews', 'buffers'):
                self.assertEqual(before[key], after[key], key)
        for key in ('accessors', 'bufferViews'):
            self.assertEqual(before[key], after[key][: len(before[key])])
        tail = [i for i, n in enumerate(before['nodes']) if n['name'] in TAIL]
        self.assertEqual(len(before['animations']), 3)
        for a, b in zip(before['animations'], after['animations']):
            self.assertEqual(a['channels'], b['channels'])
            changed = {i for i, (s, t) in enumerate(zip(a['samplers'], b['samplers'])) if s != t}
            expected = {c['sampler'] for c in a['channels'] if c['target']['node'] in tail}
            self.assertEqual(changed, expected)
            self.assertEqual(len(expected), 3)

    def test_bone_lengths_are_constant(self):
        self.bake()
        worlds, names = self.evaluate(self.folder / 'out.glb', self.clip_times(48))
        worst = 0.0
        for a, b in zip(TAIL, TAIL[1:]):
            i, j = names.index(a), names.index(b)
            lengths = [math.dist(w[i][3::4], w[j][3::4]) for clip in worlds for w in clip]
            worst = max(worst, (max(lengths) - min(lengths)) / max(lengths))
        print('bone length varies by', worst)
        self.assertLess(worst, 1e-6)

    def test_runs_and_thread_counts_give_the_same_bytes(self):
        self.bake()
        first = (self.folder / 'out.glb').read_bytes()
        for threads in ('1', '2', '8'):
            self.bake('-j', threads)
            self.assertEqual((self.folder / 'out.glb').read_bytes(), first)

    def resampled(self, fps):
        """The fox with every channel of every clip on the cubic through its frames, resampled."""
        module = corpus.evaluator()
        file = module.Gltf(str(FOX))
        value, _, binary = glb.read(FOX)
        data = bytearray(binary)

        def accessor(numbers, kind, width, bounds):
            value['bufferViews'].append(
                {'buffer': 0, 'byteOffset': len(data), 'byteLength': 4 * len(numbers)}
            )
            data.extend(struct.pack('<%df' % len(numbers), *numbers))
            entry = {
                'bufferView': len(value['bufferViews']) - 1,
                'componentType': 5126,
                'count': len(numbers) // width,
                'type': kind,
            }
            if bounds:
                entry.update(min=[min(numbers)], max=[max(numbers)])
            value['accessors'].append(entry)
            return len(value['accessors']) - 1

        for index, animation in enumerate(file.json['animations']):
            start, end = file.clip_range(animation)
            count = int(math.floor((end - start) * fps + 1e-6))
            times = [start + k / fps for k in range(count + 1)]
            if end - times[-1] > 1e-6:
                times.append(end)
            frames = [
                file.sample(animation, min(start + k / FRAME_RATE, end))
                for k in range(int(math.ceil((end - start) * FRAME_RATE - 1e-6)) + 1)
            ]
            source = value['animations'][index]
            source['samplers'] = []
            key_times = accessor(times, 'SCALAR', 1, True)
            for channel in source['channels']:
                node, path = channel['target']['node'], channel['target']['path']
                width = 4 if path == 'rotation' else 3
                values = [pose[node][path] for pose in frames]
                numbers = [x for t in times for x in cubic(values, (t - start) * FRAME_RATE)]
                channel['sampler'] = len(source['samplers'])
                source['samplers'].append(
                    {'input': key_times, 'output': accessor(numbers, 'VEC%d' % width, width, False)}
                )
        value['buffers'][0]['byteLength'] = len(data)
        return self.file('resampled.glb', glb.assemble(value, bytes(data)))

    def test_a_clip_and_the_smooth_motion_through_its_frames_at_60_fps_swing_the_same(self):
        source = self.resampled(60)
        # Soft enough that the calm clip swings too, by more than resampling changes the clip.
        soft = ['--keys', 'all', '--frequency-hz', '0.7']
        self.bake(*soft, '--fps', '24', output='a.glb')
        self.bake(*soft, '--fps', '60', source=source, output='b.glb')
        times = self.clip_times(12)  # frames of both rates
        plain, names = self.evaluate(FOX, times)
        a, _ = self.evaluate(self.folder / 'a.glb', times)
        b, _ = self.evaluate(self.folder / 'b.glb', times)
        tip = names.index(TAIL[-1])
        for clip in range(3):
            point = lambda worlds, k: worlds[clip][k][tip][3::4]
            swing = max(math.dist(point(a, k), point(plain, k)) for k in range(len(times[clip])))
            error = max(math.dist(point(a, k), point(b, k)) for k in range(len(times[clip])))
            print(
                'clip %d: swing %.3f, difference %.4f = %.3f %%'
                % (clip, swing, error, 100 * error / swing)
            )
            self.assertLess(error, 0.01 * swing)

    def test_reduced_keys_stay_within_their_tolerance(self):
        # By its own numbers the fox is 100 m long; a character in metres is the usual case.
        source = corpus.CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
        value, _, binary = glb.read(source)
        hips = next(i for i, n in enumerate(value['nodes']) if n['name'] == 'pelvis_Armature')
        times = [k / 30 for k in range(61)]
        data = struct.pack('<61f', *times)
        rotations = [
            (0.0, math.sin(0.4 * math.sin(3 * t)), 0.0, math.cos(0.4 * math.sin(3 * t)))
            for t in times
        ]
        data += b''.join(struct.pack('<4f', *q) for q in rotations)
        start = len(binary)
        value['buffers'][0]['byteLength'] = start + len(data)
        views = len(value['bufferViews'])
        value['bufferViews'] += [
            {'buffer': 0, 'byteOffset': start, 'byteLength': 244},
            {'buffer': 0, 'byteOffset': start + 244, 'byteLength': 976},
        ]
        first = len(value['accessors'])
        value['accessors'] += [
            {
                'bufferView': views,
                'componentType': 5126,
                'count': 61,
                'type': 'SCALAR',
                'min': [0.0],
                'max': [2.0],
            },
            {'bufferView': views + 1, 'componentType': 5126, 'count': 61, 'type': 'VEC4'},
        ]
        value['animations'] = [
            {
                'name': 'Rotate',
                'samplers': [{'input': first, 'output': first + 1}],
                'channels': [{'sampler': 0, 'target': {'node': hips, 'path': 'rotation'}}],
            }
        ]
        path = self.file('rotating.glb', glb.assemble(value, binary + data))
        chains = ['--chain', 'HairBall_?', '--chain', 'FrontHair*', '--chain', 'Ribbon']
        for keys in ('all', 'reduced'):
            process = self.run_clipmill(
                'dynamic-bones',
                path,
                '-o',
                keys + '.glb',
                '--keys',
                keys,
                '--key-tolerance-mm',
                '0.1',
                '--report',
                keys + '.json',
                *chains
            )
        print(process.stderr.strip())
        report = json.loads((self.folder / 'reduced.json').read_text())['clips'][0]['keys']
        self.assertLess(report['after'], report['before'])
        self.assertIn('fewer', process.stderr)

        module = corpus.evaluator()
        at = [2.0 * k / 480 for k in range(481)]
        poses = [
            module.evaluate(module.Gltf(str(self.folder / (keys + '.glb'))), times=at)['clips'][0][
                'world'
            ]
            for keys in ('all', 'reduced')
        ]
        worst = max(math.dist(a[3::4], b[3::4]) for x, y in zip(*poses) for a, b in zip(x, y))
        print(
            'tips off by at most %.4f mm; %.4f mm in the report'
            % (1000 * worst, report['worst_error_mm'])
        )
        self.assertLess(1000 * worst, 0.1)
        self.assertGreater(1000 * worst, 0.0)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
