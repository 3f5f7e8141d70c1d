# SPDX-License-Identifier: MIT
"""Pose drivers of tet-bake on real characters: fitted to one half of the clips and played in the
other half, against the solved surface and against morphs or helper joints that are fitted to that
half itself."""
import json
import shutil
import sys
import unittest

import corpus
from clipmill_process import ProcessTest

FPS = 30.0
CHARACTERS = (
    'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb',
    'gltf/KayKit-Game-Assets__Barbarian.glb',
)
# Of the error in clips that the drivers do not know: of that of plain skinning, and of that of
# `engine` morphs that are fitted to these clips, with a weight of their own in each frame.
MAX_ERROR_SHARE = 0.3
MAX_ERROR_RATIO = 1.5
# The same of helper joints with drivers: of plain skinning, and of helper joints with keys.
MAX_HELPERS_SHARE = 0.4
MAX_HELPERS_RATIO = 2.5
MAX_DIFFERENCE_M = 1e-4


class HeldOutClips(ProcessTest):
    def bake(self, path, output, clips, *arguments):
        choice = [flag for clip in clips for flag in ('--clip', clip)]
        self.run_clipmill(
            'tet-bake', path, '-o', output, '-q', '--keys', 'all', *choice, *arguments
        )

    def solved(self, skin, path, clips, options):
        import baked_skin
        import numpy

        self.bake(path, 'solved.glb', clips, '--bake-to', 'pc2', *options)
        result = []
        for clip in clips:
            files = sorted(self.folder.glob(f'solved_{clip}_*.pc2'))
            parts = {f.stem[len(f'solved_{clip}_') :]: baked_skin.read_pc2(f) for f in files}
            names = [n['name'] for n in skin.gltf.nodes if 'mesh' in n and n.get('name') in parts]
            result.append(numpy.concatenate([parts[name] for name in names], axis=1))
        return result

    def check(self, name, options=(), direct_options=('--preset', 'engine'), solved_options=()):
        """Errors in unknown clips, as a dictionary; asserts what holds for all outputs."""
        import baked_skin
        import pose_driver_skin

        for former in self.folder.iterdir():
            former.unlink()
        path = corpus.CORPUS / name
        plain = baked_skin.GltfSkin(path)
        clips = list(plain.clips)
        known, unknown = clips[::2], clips[1::2]
        times = {c: pose_driver_skin.frame_times(plain, c, FPS) for c in clips}
        self.bake(path, 'driven.glb', known, '--drive', 'pose', *options)
        drivers = json.loads((self.folder / 'driven.drivers.json').read_text())
        driven = baked_skin.GltfSkin(self.folder / 'driven.glb')
        self.assertEqual(driven.gltf.json['extras']['clipmill_drivers'], drivers)

        # The keys of the clips that were baked are what the drivers give.
        largest_m = 0.0
        for clip in known:
            played = pose_driver_skin.played_positions(driven, drivers, clip, times[clip])
            keyed = driven.posed(clip, times[clip])[1]
            largest_m = max(largest_m, float(((played - keyed) ** 2).sum(axis=2).max() ** 0.5))
        self.assertLess(largest_m, MAX_DIFFERENCE_M)

        self.bake(path, 'direct.glb', unknown, *direct_options)
        direct = baked_skin.GltfSkin(self.folder / 'direct.glb')
        solved = self.solved(plain, path, unknown, solved_options)
        before = [plain.posed(c, times[c])[1] for c in unknown]
        moved = pose_driver_skin.moved_vertices(solved, before)
        errors = {
            'plain': before,
            'driven': [
                pose_driver_skin.played_positions(driven, drivers, c, times[c]) for c in unknown
            ],
            'direct': [direct.posed(c, times[c])[1] for c in unknown],
        }
        rms = {key: pose_driver_skin.rms_mm(p, solved, moved) for key, p in errors.items()}
        targets = [s.targets() for s in (driven, direct)]
        print(
            '%s: %d clips known, %d unknown; %d drivers, %d and %d targets; player and keys '
            'differ by %.3f mm'
            % (
                path.name,
                len(known),
                len(unknown),
                len(drivers['drivers']),
                *targets,
                1e3 * largest_m,
            )
        )
        print(
            'rms in unknown clips: skinning %(plain).2f mm, drivers %(driven).2f, what is fitted '
            'to these clips %(direct).2f' % rms
        )
        return rms

    def test_drivers_play_clips_that_they_do_not_know(self):
        for name in CHARACTERS:
            with self.subTest(file=name):
                rms = self.check(name)
                self.assertLess(rms['driven'], MAX_ERROR_SHARE * rms['plain'])
                self.assertLess(rms['driven'], MAX_ERROR_RATIO * rms['direct'])

    def test_drivers_of_helper_joints_play_clips_that_they_do_not_know(self):
        bones = ('--bake-to', 'bones')
        # Helper joints are fitted to skin without contact in folds.
        rms = self.check(CHARACTERS[0], bones, bones, ('--fold-contact', 'false'))
        # What has keys of its own in each frame is nearer: it knows the frames.
        self.assertLess(rms['direct'], rms['driven'])
        self.assertLess(rms['driven'], MAX_HELPERS_SHARE * rms['plain'])
        self.assertLess(rms['driven'], MAX_HELPERS_RATIO * rms['direct'])


if __name__ == '__main__':
    corpus.skip_unless_present()
    if not shutil.which('node'):
        print('skipped: the player needs node')
        sys.exit(77)
    unittest.main(warnings='ignore')
