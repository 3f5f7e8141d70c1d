# SPDX-License-Identifier: MIT
"""FBX files that clipmill makes of its samples, opened by Autodesk's library and by Blender."""
import json
import os
import pathlib
import subprocess
import unittest

from clipmill_process import SAMPLES, ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
FBX2GLTF = (
    pathlib.Path(os.environ['CLIPMILL_NODE_MODULES']) / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
)
# Keys are reduced to a tenth of a millimetre, and players of glTF rotate along arcs, those of FBX
# by angles: each may be off by that much.
TOLERANCE_M = 3e-4


def by_name(poses):
    return {path.split('/')[-1]: k for k, path in enumerate(poses['nodes'])}


class MadeFbx(ProcessTest):
    def convert(self, source):
        target = self.folder / (source.parent.name + '.fbx')
        self.run_clipmill('convert', source, '-o', target, '-q')
        return target

    def poses(self, path, *flags):
        return self.run_json('poses', path, '--space', 'metric', '--json', *flags)

    def test_autodesk_reads_the_samples_without_a_complaint(self):
        os.chmod(FBX2GLTF, 0o755)
        for source in sorted(SAMPLES.rglob('*.glb')):
            with self.subTest(source.parent.name):
                target = self.folder / (source.parent.name + '_read.glb')
                process = subprocess.run(
                    [FBX2GLTF, '-b', '-i', self.convert(source), '-o', target]
                    + ['--anim-framerate', 'bake30'],
                    capture_output=True,
                    text=True,
                    check=True,
                    timeout=600,
                )
                output = process.stdout + process.stderr
                self.assertNotRegex(output, '(?i)warn|error|fail')
                a, b = self.poses(source, '--fps', '30'), self.poses(target, '--fps', '30')
                names_a, names_b = by_name(a), by_name(b)
                self.assertFalse(set(names_a) - set(names_b))
                self.assertEqual([c['name'] for c in a['clips']], [c['name'] for c in b['clips']])
                worst = max(
                    abs(x - y)
                    for clip_a, clip_b in zip(a['clips'], b['clips'])
                    for world_a, world_b in zip(clip_a['world'], clip_b['world'])
                    for name, node in names_a.items()
                    for x, y in zip(world_a[node][3::4], world_b[names_b[name]][3::4])
                )
                print(f'{source.parent.name}: Autodesk differs by at most {worst:.2g} m')
                self.assertLess(worst, TOLERANCE_M)

    def test_blender_shows_a_sample_at_its_size_in_its_poses(self):
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        target, seen_path = self.convert(source), self.folder / 'seen.json'
        frames = [0, 7, 22, 40]
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / 'blender_made_fbx.py']
            + ['--', target, seen_path, ','.join(map(str, frames))],
            capture_output=True,
            check=True,
            timeout=600,
        )
        seen = json.loads(seen_path.read_text())
        self.assertEqual(seen['fps'], 30)
        info = self.run_json('info', source, '--json')
        self.assertEqual(sorted(seen['actions']), sorted(c['name'] for c in info['clips']))
        for clip in info['clips']:
            action = seen['actions'][clip['name']]
            self.assertAlmostEqual(action['range'][0], 1.0, places=4)
            self.assertAlmostEqual(action['range'][1], 1.0 + 30 * clip['end_s'], places=3)
            # The mesh on the ground at the first frame is as tall as the character.
            heights = [p[1] for p in action['vertices'][0]]
            self.assertGreater(max(heights) - min(heights), 1.5)
            self.assertLess(max(heights) - min(heights), 1.9)
        skin = seen['materials']['Skin']
        for number, wanted in zip(skin['color'], [0.7, 0.42, 0.29]):
            self.assertAlmostEqual(number, wanted, places=5)
        self.assertAlmostEqual(skin['metallic'], 0.0, places=5)
        self.assertAlmostEqual(skin['roughness'], 0.6, places=5)
        self.check_vertices(source, frames, seen)

    def check_vertices(self, source, frames, seen):
        times = ','.join(str(f / 30) for f in frames)
        flags = ('--vertices', '--max-vertices', '1000000', '--times', times)
        worst = 0.0
        for clip in self.poses(source, *flags)['clips']:
            for time, others in zip(clip['times'], seen['actions'][clip['name']]['vertices']):
                ours = [x for m in clip['skinned'] if m['time'] == time for x in m['positions']]
                theirs = [x for point in others for x in point]
                self.assertEqual(len(ours), len(theirs))
                worst = max(worst, max(abs(a - b) for a, b in zip(ours, theirs)))
        print(f'{source.parent.name} in Blender: vertices differ by at most {worst:.2g} m')
        self.assertLess(worst, TOLERANCE_M)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
