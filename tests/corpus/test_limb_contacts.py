# SPDX-License-Identifier: MIT
"""Contacts of hands and knees in real clips, against paths that an independent evaluator finds. The
corpus has no crawl and no climb: characters sit down, lie, get up and hit things."""
import unittest

import corpus
import foot_slide
from clipmill_process import ProcessTest
from joint_paths import GltfPaths

GLTF = corpus.CORPUS / 'gltf'
FILES = [
    GLTF / 'KayKit-Game-Assets__Barbarian.glb',
    GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb',
]
JOINTS = {'hand': 'Hand', 'knee': 'LowerLeg'}
# In these the character leaves or reaches the floor with a hand on it.
ON_HANDS = ('Sit_Floor_Down', "Lie_StandUp")


class LimbContacts(ProcessTest):
    def check(self, path, limbs):
        options = ('--contact-limbs', limbs, '--json')
        return {c['clip']: c for c in self.run_json('check', path, *options)['clips']}

    def test_their_drift_is_that_of_the_evaluator_and_feet_stay_the_same(self):
        for path in FILES:
            file = GltfPaths(path)
            info = self.run_json('info', path, '--json')
            names = {node['id']: node['name'] for node in info['nodes']}
            joints = {role: names[node] for role, node in info['humanoid']['roles'].items()}
            feet = self.check(path, 'feet')
            counts = {'hand': 0, 'knee': 0}
            for name, clip in self.check(path, 'feet_hands_knees').items():
                spans = [s for s in clip['contacts'] if s['part'].split()[1] in JOINTS]
                others = [s for s in clip['contacts'] if s not in spans]
                self.assertEqual(others, feet[name]['contacts'], name)
                # Slide on moving ground has its own frame.
                if not spans or clip['measures']['treadmill_speed_mps'] != 0.0:
                    continue
                times = foot_slide.times_of(*file.span(name))
                for span in spans:
                    side, part = span['part'].split()
                    joint = joints[side + JOINTS[part]]
                    track = file.positions(name, times, [joint])[joint]
                    drift = foot_slide.drift_mm(track, times, span)
                    self.assertLess(abs(drift - span['drift_mm']), 0.3 + 0.03 * drift, span)
                    counts[part] += 1
            print(f'{path.name}: {counts}')
            self.assertGreater(counts['hand'], 5)

    def test_a_hand_on_the_floor_is_found(self):
        checks = self.check(FILES[0], 'feet_hands')
        for clip in ON_HANDS:
            parts = {s['part'] for s in checks[clip]['contacts']}
            self.assertIn('left hand', parts, clip)

    def test_a_name_that_is_no_choice_is_refused(self):
        refused = self.run_clipmill('check', FILES[0], '--contact-limbs', 'tail', exit_code=2)
        self.assertIn('feet_hands_knees', refused.stderr)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
