# SPDX-License-Identifier: MIT
"""Clip files without a skin whose nodes store a frame of motion, on their own character: the
result equals the motion of the character's own clip."""
import random
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

CHARACTERS = (
    (SAMPLES / 'dynamic-bones' / 'humanoid.glb', ('Walk',)),
    (corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb', ('Cheer', 'Lie_Down', 'Dodge_Left')),
    (corpus.CORPUS / 'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb', ('run', 'dash')),
)
COUNT = 50


class StoredPoses(ProcessTest):
    def test_a_frame_of_motion_as_node_pose_does_not_matter(self):
        import numpy as np
        import pose_evaluator
        from stripped_clip import strip

        chosen = random.Random(21)
        worst_deg = worst_mm = 0.0
        for _ in range(COUNT):
            character, clips = chosen.choice(CHARACTERS)
            clip_name, share = chosen.choice(clips), chosen.random()
            own = pose_evaluator._Gltf(character)
            clip = next(a for a in own.json['animations'] if a.get('name') == clip_name)
            ends = [own.accessor(s['input'])[:, 0] for s in clip['samplers']]
            start, end = min(t[0] for t in ends), max(t[-1] for t in ends)
            strip(character, clip_name, start + share * (end - start), self.folder / 'clip.glb')
            process = self.run_clipmill(
                *('run', character, '--clip-from', 'clip.glb', '--keys', 'all', '-o', 'out.glb'),
            )
            self.assertIn('of the same skeleton: copied', process.stderr)
            result = pose_evaluator._Gltf(self.folder / 'out.glb')
            put = result.json['animations'][-1]
            for time in np.linspace(start, end, 7):
                expected, found = own.worlds(clip, time), result.worlds(put, time)
                for a, b in zip(expected, found):
                    axes_a, axes_b = (m[:3, :3] / np.linalg.norm(m[:3, :3], axis=0) for m in (a, b))
                    sine = min(np.linalg.norm(axes_a - axes_b) / np.sqrt(8), 1.0)
                    worst_deg = max(worst_deg, np.degrees(2 * np.arcsin(sine)))
                    worst_mm = max(worst_mm, 1e3 * np.linalg.norm(a[:3, 3] - b[:3, 3]))
        print('%d stored frames: %.4f degrees, %.4f mm' % (COUNT, worst_deg, worst_mm))
        self.assertLess(worst_deg, 0.1)
        self.assertLess(worst_mm, 0.1)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
