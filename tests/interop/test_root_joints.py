# SPDX-License-Identifier: MIT
"""A root joint and IK bones in an FBX file of a character as Mixamo makes them, opened by FBX2glTF,
which carries the FBX SDK of Autodesk, and by Blender; each reads the file before and after. The
glTF file is judged by the Khronos validator."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import mixamo_character
from clipmill_process import ProcessTest, run

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
CONVERTER = MODULES / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
TIMES = ','.join('%.9f' % (k / mixamo_character.FPS) for k in range(mixamo_character.FRAMES))
TOLERANCE_m = 1e-5
END = (0.5, 0.0, 2.0)  # of the root trajectory of Walk, apart from sway


class RootJointReaders(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('hero.glb', mixamo_character.character())
        self.run_clipmill('convert', 'hero.glb', '-o', 'hero.fbx', '--keys', 'all')
        for name, flags in (('rooted', ()), ('ik', ('--ik-bones', 'unreal'))):
            self.run_clipmill(
                'root', 'hero.fbx', '-o', name + '.fbx', '--create', '--keys', 'all', *flags
            )

    def seen_by_the_sdk(self, name):
        """Positions by clip, frame and joint."""
        converter = self.folder / 'FBX2glTF'
        shutil.copy(CONVERTER, converter)
        converter.chmod(0o755)
        run(converter, '-i', self.folder / (name + '.fbx'), '-o', self.folder / (name + '_sdk'),
            '--binary', '--anim-framerate', 'bake30')  # fmt: skip
        poses = self.run_json('poses', name + '_sdk.glb', '--times', TIMES, '--json')
        names = [n.split('/')[-1] for n in poses['nodes']]
        return {
            clip['name']: [
                {n: (w[3], w[7], w[11]) for n, w in zip(names, world)}
                for world in clip['world']
            ]
            for clip in poses['clips']
        }

    def seen_by_blender(self, name):
        target = self.folder / (name + '.json')
        script, source = HERE / 'blender_edited_fbx.py', self.folder / (name + '.fbx')
        flags = ('-b', '--factory-startup', '-noaudio')
        run('blender', *flags, '-P', script, '--', source, target)
        seen = json.loads(target.read_text())
        return seen, {
            action.split('|')[1]: frames['frames'] for action, frames in seen['actions'].items()
        }

    @staticmethod
    def gap(before, after):
        return max(
            abs(x - y)
            for clip in before
            for a, b in zip(before[clip], after[clip], strict=True)
            for name in a
            if name.startswith(mixamo_character.PREFIX)
            for x, y in zip(a[name], b[name])
        )

    def check_root(self, clips, who):
        first, last = (clips['Walk'][k]['root'] for k in (0, -1))
        for a, b, c in zip(first, last, END):
            self.assertLess(abs(b - a - c), 0.02, who)
        self.assertLess(max(map(abs, first)), TOLERANCE_m, who)

    def test_the_fbx_sdk_sees_the_same_worlds_and_the_root_motion(self):
        before = self.seen_by_the_sdk('hero')
        self.assertEqual(set(before), {'Walk', 'Idle'})
        for name in ('rooted', 'ik'):
            after = self.seen_by_the_sdk(name)
            gap = self.gap(before, after)
            print('FBX2glTF, %s: joints differ by %.2g m' % (name, gap))
            self.assertLess(gap, TOLERANCE_m)
            self.check_root(after, 'FBX2glTF')
        self.check_ik(after)

    def check_ik(self, clips):
        follows = {'ik_foot_l': 'LeftFoot', 'ik_foot_r': 'RightFoot', 'ik_hand_gun': 'RightHand',
                   'ik_hand_l': 'LeftHand', 'ik_hand_r': 'RightHand'}  # fmt: skip
        worst = max(
            abs(x - y)
            for frames in clips.values()
            for frame in frames
            for bone, joint in follows.items()
            for x, y in zip(frame[bone], frame[mixamo_character.PREFIX + joint])
        )
        print('IK bones are off by %.2g m' % worst)
        self.assertLess(worst, TOLERANCE_m)

    @unittest.skipUnless(shutil.which('blender'), 'no blender')
    def test_blender_sees_the_same_worlds_and_the_root_motion(self):
        _, before = self.seen_by_blender('hero')
        self.assertEqual(set(before), {'Walk', 'Idle'})
        for name in ('rooted', 'ik'):
            seen, after = self.seen_by_blender(name)
            self.assertEqual(seen['parents']['mixamorig:Hips'], 'root')
            gap = self.gap(before, after)
            print('Blender, %s: joints differ by %.2g m' % (name, gap))
            self.assertLess(gap, TOLERANCE_m)
            self.check_root(after, 'Blender')
        self.check_ik(after)

    def test_the_khronos_validator_finds_nothing(self):
        self.run_clipmill('root', 'hero.glb', '-o', 'ik.glb', '--create', '--ik-bones', 'unreal')
        path = self.folder / 'ik.glb'
        found = json.loads(run('node', HERE / 'validate.cjs', MODULES, path))
        errors = [m for m in found[str(path)] if m.get('severity', 0) < 2]
        self.assertEqual(errors, [])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
