# SPDX-License-Identifier: MIT
"""A table of ARKit face weights on the morph targets of a character."""
import json
import struct
import unittest

import glb
from clipmill_process import ProcessTest

COLUMNS = ['EyeBlinkLeft', 'JawOpen', 'MouthSmileLeft', 'MouthSmileRight', 'CheekPuff'] + [
    'BrowInnerUp', 'BrowDownLeft', 'BrowDownRight', 'TongueOut', 'MouthPucker', 'JawForward'
]  # fmt: skip
MORPHS = ['eyeBlink_L', 'Smile', 'Mouth_Open', 'jaw_forward']
FRAMES = 90


def weight(column, frame):
    return round(0.5 + 0.5 * ((frame * (column + 3)) % 17) / 17, 4) if column < 4 else 0.0


def table():
    lines = ['Timecode,BlendShapeCount,' + ','.join(COLUMNS) + ',HeadYaw,HeadPitch,HeadRoll']
    for f in range(FRAMES):
        cells = ['01:00:%02d:%02d.000' % (f // 60, f % 60), '61']
        cells += [str(weight(c, f)) for c in range(len(COLUMNS))]
        lines.append(','.join(cells + ['0.1', '0', '0']))
    return '\r\n'.join(lines) + '\r\n'


def face():
    """A triangle with four morph targets, without a clip."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    binary = b''.join(struct.pack('<3f', *p) for p in points)
    views = [{'buffer': 0, 'byteOffset': 0, 'byteLength': 36}]
    accessors = [
        {'bufferView': 0, 'componentType': 5126, 'count': 3, 'type': 'VEC3'}
        | {'min': [0, 0, 0], 'max': [1, 1, 0]}
    ]
    value = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': [0]}],
        'nodes': [{'name': 'Head', 'mesh': 0}],
        'meshes': [
            {
                'primitives': [
                    {'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 0} for _ in MORPHS]}
                ],
                'weights': [0.0] * len(MORPHS),
                'extras': {'targetNames': MORPHS},
            }
        ],
        'accessors': accessors,
        'bufferViews': views,
        'buffers': [{'byteLength': len(binary)}],
    }
    return glb.assemble(value, binary)


def weights_of(path):
    """(times, rows of weights) of the only weight track, read independently."""
    document, _, binary = glb.read(path)
    animation = document['animations'][-1]
    channel = next(c for c in animation['channels'] if c['target']['path'] == 'weights')
    sampler = animation['samplers'][channel['sampler']]

    def numbers(index):
        return tuple(number for (number,) in glb.rows(document, binary, index))

    times = numbers(sampler['input'])
    values = numbers(sampler['output'])
    width = len(MORPHS)
    return times, [values[k : k + width] for k in range(0, len(values), width)]


class FaceWeights(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('face.glb', face())
        self.file('talk.csv', table())
        self.file('TALK.CSV', table())

    def check_weights(self, path, column_of_morph):
        times, rows = weights_of(path)
        self.assertEqual(len(rows), FRAMES)
        for time, row in zip(times, rows):
            frame = round(time * 60)
            self.assertAlmostEqual(time, frame / 60, 5)
            for morph, column in enumerate(column_of_morph):
                expected = 0.0 if column is None else weight(column, frame)
                self.assertAlmostEqual(row[morph], expected, 5, (frame, morph))

    def test_shapes_move_morphs_by_name(self):
        self.run_clipmill(
            *('run', 'face.glb', '--clip-from', 'talk.csv', '--keys', 'all', '-o', 'out.glb'),
            *('--report', 'r.json'),
        )
        self.check_weights(self.folder / 'out.glb', [0, None, None, 10])
        report = json.loads((self.folder / 'r.json').read_text())
        codes = {warning['code']: warning for warning in report['warnings']}
        self.assertEqual(codes['unmatched_motion']['count'], 3)
        self.assertIn('head_rotation_left_out', codes)

    def test_a_map_names_morphs_with_other_names(self):
        for command in (
            ('run', 'face.glb', '--clip-from', 'talk.csv')
            + ('--clip-from-map', 'jawOpen=Mouth_Open,MouthSmileLeft=Smile'),
            ('merge', 'face.glb', 'talk.csv', '--map', 'jawOpen=Mouth_Open')
            + ('--map', 'mouthSmileLeft=Smile'),
            ('merge', 'face.glb', 'TALK.CSV', '--map', 'jawOpen=Mouth_Open')
            + ('--map', 'mouthSmileLeft=Smile'),
        ):
            with self.subTest(command):
                self.run_clipmill(*command, '--keys', 'all', '-o', 'out.glb')
                self.check_weights(self.folder / 'out.glb', [0, 2, 1, 10])
        error = self.run_clipmill(
            *('run', 'face.glb', '--clip-from', 'talk.csv', '-o', 'x.glb'),
            *('--clip-from-map', 'jawOpen=Mouth'),
            exit_code=3,
        )
        self.assertOneSentence(error.stderr, 'jawOpen=Mouth')

    def test_a_character_without_such_shapes_is_refused(self):
        self.file('chain.glb', glb.swinging_chain())
        error = self.run_clipmill(
            'run', 'chain.glb', '--clip-from', 'talk.csv', '-o', 'x.glb', exit_code=3
        )
        self.assertOneSentence(error.stderr, 'talk.csv', 'face')

    def test_a_recording_is_information_like_any_clip(self):
        info = self.run_json('info', 'talk.csv', '--json')
        self.assertEqual(info['clips'][0]['name'], 'talk')
        self.assertAlmostEqual(info['clips'][0]['end_s'], (FRAMES - 1) / 60, 5)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
