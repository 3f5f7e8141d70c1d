# SPDX-License-Identifier: MIT
"""Clip editing stages as processes, checked in the files that they write."""
import math
import struct
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

CHARACTERS = SAMPLES / 'dynamic-bones'
LEAPS = SAMPLES / 'stretch'


class Clips(ProcessTest):
    def clips_of(self, file):
        return {clip['name']: clip for clip in self.run_json('info', file, '--json')['clips']}

    def positions(self, file, clip, name, *times):
        poses = self.run_json(
            *('poses', file, '--clip', clip, '--space', 'metric', '--json'),
            *('--times', ','.join(map(repr, times))),
        )
        node = [path.rsplit('/', 1)[-1] for path in poses['nodes']].index(name)
        return [tuple(pose[node][3::4]) for pose in poses['clips'][0]['world']]

    def rotations(self, file, clip, name, *times):
        """Rows of the rotation of a node, which has no scale, at each time."""
        poses = self.run_json(
            *('poses', file, '--clip', clip, '--space', 'metric', '--json'),
            *('--times', ','.join(map(repr, times))),
        )
        node = [path.rsplit('/', 1)[-1] for path in poses['nodes']].index(name)
        return [
            [pose[node][4 * i : 4 * i + 3] for i in range(3)] for pose in poses['clips'][0]['world']
        ]

    def angle_deg(self, a, b):
        trace = sum(x * y for row_a, row_b in zip(a, b) for x, y in zip(row_a, row_b))
        return math.degrees(math.acos(max(-1.0, min(1.0, (trace - 1.0) / 2.0))))

    def test_a_walk_cross_fades_into_a_leap_of_another_file(self):
        for extension in ('glb', 'fbx'):
            with self.subTest(extension):
                walk = CHARACTERS / ('humanoid.' + extension)
                leap = LEAPS / ('humanoid.' + extension)
                output = 'out.' + extension
                self.run_clipmill(
                    *('blend', walk, '-o', output, '--clip', 'WalkForward', '--copy-as', '{}Leap'),
                    *('--with', f'clip=Leap;file={leap}', '--window-s', 0.3),
                )
                before, after = self.clips_of(walk), self.clips_of(output)
                self.assertEqual([*before, 'WalkForwardLeap'], [*after])
                # The window is the last 0.3 s of the walk; the leap goes on to its end.
                walked = self.positions(walk, 'WalkForward', 'Hips', 0.2, 0.7)
                made = self.positions(output, 'WalkForwardLeap', 'Hips', 0.2, 0.7)
                for was, found in zip(walked, made):
                    self.assertLess(math.dist(was, found), 1.5e-4)
                fade_start_s = 32 / 30 - 0.3
                old = self.positions(leap, 'Leap', 'Root', 0.3, 2.0)
                times_s = (fade_start_s + 0.3, fade_start_s + 2.0)
                new = self.positions(output, 'WalkForwardLeap', 'Root', *times_s)
                path = [b - a for a, b in zip(*old)], [b - a for a, b in zip(*new)]
                self.assertLess(math.dist(*path), 3e-4)

    def test_joining_two_parts_and_mirroring_twice_restore_the_clip(self):
        source = CHARACTERS / 'humanoid.glb'
        clip = ('--clip', 'WalkForward', '--keys', 'all')
        self.run_clipmill('trim', source, '-o', 'a.glb', *clip, '--end-frame', 10)
        self.run_clipmill('trim', source, '-o', 'b.glb', *clip, '--start-frame', 10)
        self.run_clipmill(
            'concat', 'a.glb', '-o', 'ab.glb', *clip, '--with', 'clip=WalkForward;file=b.glb'
        )
        self.run_clipmill('diff', source, 'ab.glb', '--tolerance-mm', 0.001)
        self.run_clipmill('mirror', source, '-o', 'm.glb', *clip)
        self.run_clipmill('diff', source, 'm.glb', '--tolerance-mm', 10, exit_code=4)
        self.run_clipmill('mirror', 'm.glb', '-o', 'mm.glb', *clip)
        self.run_clipmill('diff', source, 'mm.glb', '--tolerance-mm', 0.001)

    def test_trim_and_retime_without_a_change_keep_every_byte(self):
        for extension in ('glb', 'fbx'):
            source = CHARACTERS / ('humanoid.' + extension)
            for stage in ('trim', 'retime'):
                self.run_clipmill(stage, source, '-o', 'same.' + extension)
                self.assertEqual(
                    source.read_bytes(), (self.folder / ('same.' + extension)).read_bytes()
                )

    def test_rename_changes_only_the_name(self):
        for extension in ('glb', 'gltf', 'fbx'):
            with self.subTest(extension):
                source = CHARACTERS / 'humanoid.glb'
                if extension != 'glb':
                    self.run_clipmill('convert', source, '-o', 'source.' + extension)
                    source = self.folder / ('source.' + extension)
                out = 'renamed.' + extension
                self.run_clipmill('rename', source, '-o', out, '--clip', 'Walk', '--to', '{} "A"')
                names = list(self.clips_of(source))
                self.assertEqual(
                    [n.replace('Walk', 'Walk "A"') if n == 'Walk' else n for n in names],
                    list(self.clips_of(out)),
                )
                back = 'back.' + extension
                self.run_clipmill(
                    'rename', out, '-o', back, '--clip', 'Walk "A"', '--to', 'Walk', '--keys', 'all'
                )
                self.run_clipmill('diff', source, back, '--tolerance-mm', 0)
                if extension == 'glb':
                    # The old text is padded to four bytes, and what is written anew once more.
                    self.assertEqual(glb.read(source)[0], glb.read(self.folder / back)[0])
        error = self.run_clipmill(
            'rename', CHARACTERS / 'humanoid.glb', '-o', 'x.glb', '--to', 'One', exit_code=2
        ).stderr
        self.assertOneSentence(error, "would be called 'One'")

    def test_the_root_stage_removes_root_motion_in_place(self):
        source = CHARACTERS / 'humanoid.glb'
        clip = ('--clip', 'WalkForward')
        self.run_clipmill('root', source, '-o', 'still.glb', *clip, '--root-motion', 'in_place')
        start, end = self.positions('still.glb', 'WalkForward', 'Hips', 0.0, 32 / 30)
        self.assertLess(math.dist(start, end), 1e-3)
        start, end = self.positions(source, 'WalkForward', 'Hips', 0.0, 32 / 30)
        self.assertGreater(math.dist(start, end), 1.0)

    def test_clip_from_map_retargets_a_clip_to_any_character(self):
        source = CHARACTERS / 'humanoid.glb'
        run = ('run', source, '--clip-from', LEAPS / 'humanoid.glb', '--clip-from-clip', 'Leap')
        self.run_clipmill(*run, '-o', 'mapped.glb', '--clip-from-map', 'LeftHand=RightHand')
        self.assertIn('Leap', self.clips_of('mapped.glb'))
        error = self.run_clipmill(
            *run, '-o', 'x.glb', '--clip-from-map', 'LeftHandle=LeftHand', exit_code=3
        ).stderr
        self.assertOneSentence(error, 'LeftHandle', 'LeftHand')

    def write_calibration(self, name):
        """The left arm is at rest at 1 s of the clip Calibrate, and twisted at 0 s."""
        value, _, binary = glb.read(LEAPS / 'humanoid.glb')
        arm = [node['name'] for node in value['nodes']].index('LeftArm')
        x, y, z, w = rest = value['nodes'][arm]['rotation']
        s, c = math.sin(math.radians(20.0)), math.cos(math.radians(20.0))
        # Twisted about the bone, which is along y.
        off = [c * x - s * z, c * y + s * w, c * z + s * x, c * w - s * y]
        added = struct.pack('<3f', 0.0, 1.0, 2.0) + struct.pack('<12f', *off, *rest, *off)
        binary += bytes(-len(binary) % 4)
        first = len(value['accessors'])
        for count, kind, offset, size in ((3, 'SCALAR', 0, 12), (3, 'VEC4', 12, 48)):
            value['bufferViews'].append(
                {'buffer': 0, 'byteOffset': len(binary) + offset, 'byteLength': size}
            )
            value['accessors'].append(
                {
                    'bufferView': len(value['bufferViews']) - 1,
                    'componentType': 5126,
                    'count': count,
                    'type': kind,
                    **({'min': [0.0], 'max': [2.0]} if kind == 'SCALAR' else {}),
                }
            )
        binary += added
        value['buffers'][0]['byteLength'] = len(binary)
        value['animations'].append(
            {
                'name': 'Calibrate',
                'samplers': [{'input': first, 'output': first + 1}],
                'channels': [{'sampler': 0, 'target': {'node': arm, 'path': 'rotation'}}],
            }
        )
        (self.folder / name).write_bytes(glb.assemble(value, binary))

    def write_long_arms(self, name):
        """The leaper without skin and clips, with longer arms: no clip can be copied to it."""
        value, _, binary = glb.read(LEAPS / 'humanoid.glb')
        for key in ('animations', 'skins', 'meshes'):
            del value[key]
        for node in value['nodes']:
            node.pop('skin', None)
            node.pop('mesh', None)
            if node['name'].endswith(('ForeArm', 'Hand')):
                node['translation'] = [1.2 * x for x in node['translation']]
        (self.folder / name).write_bytes(glb.assemble(value, binary))

    def test_the_rest_pose_of_a_clip_may_be_a_frame_of_another_one(self):
        self.write_calibration('rest.glb')
        self.write_long_arms('long.glb')
        run = ('run', 'long.glb', '--clip-from', LEAPS / 'humanoid.glb')
        run += ('--clip-from-clip', 'Leap', '--keys', 'all', '--clip-from-rest', 'rest.glb')
        self.run_clipmill(*run, '-o', 'bind.glb')
        frame = (*run, '--clip-from-rest-clip', 'Calibrate')
        self.run_clipmill(*frame, '--clip-from-rest-s', 1.0, '-o', 'rest_frame.glb')
        self.run_clipmill(*frame, '-o', 'first_frame.glb')
        for joint in ('LeftArm', 'LeftForeArm', 'RightHand', 'LeftFoot', 'Head'):
            bind, same, other = (
                self.rotations(file, 'Leap', joint, 0.0, 0.4, 0.8)
                for file in ('bind.glb', 'rest_frame.glb', 'first_frame.glb')
            )
            for a, b, c in zip(bind, same, other):
                self.assertLess(self.angle_deg(a, b), 0.05, joint)
                twist = 40.0 if joint in ('LeftArm', 'LeftForeArm') else 0.0
                self.assertAlmostEqual(self.angle_deg(a, c), twist, delta=0.5, msg=joint)

    def test_rest_poses_that_do_not_exist_are_refused(self):
        self.write_calibration('rest.glb')
        self.write_long_arms('long.glb')
        run = ('run', 'long.glb', '--clip-from', LEAPS / 'humanoid.glb')
        run += ('--clip-from-rest', 'rest.glb', '-o', 'x.glb', '--clip-from-rest-clip')
        error = self.run_clipmill(*run, 'Calibrate', '--clip-from-rest-s', 2.5, exit_code=2).stderr
        self.assertOneSentence(error, 'clip_from_rest_s', '2.000 s')
        error = self.run_clipmill(*run, 'Calibration', exit_code=3).stderr
        self.assertOneSentence(error, 'Calibration')
        self.assertFalse((self.folder / 'x.glb').exists())

    def test_merge_restores_split_clips(self):
        for extension in ('glb', 'fbx'):
            with self.subTest(extension):
                source = CHARACTERS / ('humanoid.' + extension)
                self.run_clipmill('split', source, '-o', 'part_{}.' + extension, '--keys', 'all')
                names = list(self.clips_of(source))
                parts = [f'part_{name}.{extension}' for name in names]
                for part, name in zip(parts, names):
                    self.assertEqual(list(self.clips_of(part)), [name])
                bare = 'bare.' + extension
                self.run_clipmill(
                    *('merge', parts[0], *parts[1:], '-o', bare, '--keys', 'all'),
                    *('--names', 'clip'),
                )
                again = self.clips_of(bare)
                self.assertEqual(list(again), names)
                for name, clip in self.clips_of(source).items():
                    self.assertAlmostEqual(clip['end_s'], again[name]['end_s'], 5)
                self.run_clipmill('diff', source, bare, '--fps', 30, '--tolerance-mm', 0.2)
                self.run_clipmill('merge', source, parts[0], '-o', bare, '--names', 'file')
                self.assertEqual(list(self.clips_of(bare)), [*names, 'part_' + names[0]])

    def test_split_clips_keep_their_names_in_any_script(self):
        document, _, binary = glb.read(CHARACTERS / 'humanoid.glb')
        clips = document['animations']
        names = ['歩く', '走る', 'Höhe', 'höhe', 'höhe', 'a/b', 'con', 'x. ']
        document['animations'] = [
            dict(clips[k % len(clips)], name=name) for k, name in enumerate(names)
        ]
        self.file('many.glb', glb.assemble(document, binary))
        (self.folder / 'parts').mkdir()
        self.run_clipmill('split', 'many.glb', '-o', 'parts/{}.glb')
        parts = ['歩く', '走る', 'Höhe', 'höhe_2', 'höhe_3', 'a_b', 'con_', 'x__']
        self.assertEqual(
            sorted(path.name for path in (self.folder / 'parts').iterdir()),
            sorted(part + '.glb' for part in parts),
        )
        for part, name in zip(parts, names):
            self.assertEqual(list(self.clips_of(f'parts/{part}.glb')), [name])

    def test_a_loop_ends_as_it_starts(self):
        self.run_clipmill(
            *('trim', LEAPS / 'humanoid.glb', '-o', 'part.glb', '--clip', 'Leap'),
            *('--end-s', 0.8),
        )
        self.run_clipmill(
            'loop', 'part.glb', '-o', 'loop.glb', '--clip', 'Leap', '--report', 'r.json'
        )
        for name in ('LeftHand', 'RightFoot', 'Head'):
            first, last = self.positions('loop.glb', 'Leap', name, 0.0, 0.8)
            root_first, root_last = self.positions('loop.glb', 'Leap', 'Root', 0.0, 0.8)
            step = [b - a for a, b in zip(root_first, root_last)]
            self.assertLess(math.dist([a + s for a, s in zip(first, step)], last), 3e-4)

    def test_invalid_settings_are_refused_in_one_sentence(self):
        source = CHARACTERS / 'humanoid.glb'
        walk = (source, '-o', 'out.glb', '--clip', 'WalkForward')
        for arguments, exit_code, parts in (
            (('blend', *walk), 2, ('names no other clip',)),
            (('blend', *walk, '--with', 'Rum'), 3, ("did you mean 'Run'",)),
            (('blend', *walk, '--with', 'Run', '--window-s', 3), 2, ('which lasts 1.067 s',)),
            (('blend', *walk, '--with', 'Run', '--window-s', 0), 2, ('longer than 0.000 s',)),
            (('blend', *walk, '--with', 'Run', '--mask', 'Wing'), 3, ('Wing',)),
            (('trim', *walk, '--start-s', 2), 2, ('which lasts 1.067 s',)),
            (('loop', *walk, '--window-s', 0.6), 2, ('do not fit',)),
            (('mirror', *walk, '--pair', 'Hips'), 2, ('no pair of nodes',)),
            (('merge', source, 'none.glb', '-o', 'out.glb'), 3, ('none.glb',)),
            (('split', source, '-o', 'out.xyz'), 2, ('extension',)),
        ):
            with self.subTest(arguments[-1]):
                stderr = self.run_clipmill(*arguments, exit_code=exit_code).stderr
                self.assertOneSentence(stderr, *parts)
                self.assertEqual(self.files(), [])

    def test_wind_moves_a_character_that_holds_still(self):
        value, _, binary = glb.read(self.file('moving.glb', glb.swinging_chain()))
        del value['animations']
        self.file('still.glb', glb.assemble(value, binary))
        self.file('one_key.glb', glb.swinging_chain(times=[0.25]))
        blow = ('--chain', 'root=Bone0;frequency_hz=1', '--wind-mps2', '6,0,0', '--loop', 'off')
        error = self.run_clipmill(
            *('dynamic-bones', 'still.glb', '-o', 'none.glb', *blow), exit_code=None
        )
        self.assertIn('set still_duration_s', error.stderr)
        for name, clip, start_s in (('still', 'Still', 0.0), ('one_key', 'Sway', 0.25)):
            with self.subTest(name):
                output = name + '_out.glb'
                lasts = ('--still-duration-s', 1.5)
                self.run_clipmill('dynamic-bones', name + '.glb', '-o', output, *blow, *lasts)
                made = self.clips_of(output)[clip]
                self.assertAlmostEqual(made['end_s'] - made['start_s'], 1.5, places=5)
                times = (made['start_s'], made['start_s'] + 0.4)
                tip = self.positions(output, clip, 'Bone3', *times)
                root = self.positions(output, clip, 'Bone0', *times)
                self.assertLess(math.dist(*root), 1e-6)
                self.assertGreater(tip[1][0] - tip[0][0], 0.02)
        # Clips that last keep their length.
        self.run_clipmill(
            *('dynamic-bones', 'moving.glb', '-o', 'moved.glb', *blow, '--still-duration-s', 9)
        )
        before, after = self.clips_of('moving.glb')['Sway'], self.clips_of('moved.glb')['Sway']
        self.assertEqual(before['end_s'], after['end_s'])


if __name__ == '__main__':
    unittest.main()
