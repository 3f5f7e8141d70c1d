# SPDX-License-Identifier: MIT
"""What the samples become: skirts hold together, cycles close."""
import json
import unittest

from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'dynamic-bones'


def after(clip, name):
    """The largest value of a metric over the stages of a clip in a report."""
    return max(stage['metrics']['after'].get(name, 0.0) for stage in clip['stages'])


class Samples(ProcessTest):
    def report_of(self, *arguments):
        report = self.folder / 'report.json'
        self.run_clipmill(*arguments, '-o', self.folder / 'baked.glb', '--report', report, '-q')
        return {clip['clip']: clip for clip in json.loads(report.read_text())['clips']}

    def test_a_ring_that_does_not_give_stays_a_skirt_cycle_after_cycle(self):
        chain = (
            'root=Skirt*_1;cross=ring;cross_compliance=0;shear_compliance=0;bend_compliance=0'
            ';frequency_hz=0:2.5,1:2.0;damping_ratio=0.6'
        )
        clips = self.report_of(
            'dynamic-bones', SAMPLE / 'humanoid.glb', '--chain', chain, '--loop', 'on'
        )
        for name, max_mps in (('Walk', 0.5), ('WalkForward', 1.5), ('Run', 1.5)):
            with self.subTest(name):
                self.assertLess(after(clips[name], 'max_speed_mps'), max_mps)
                self.assertLess(after(clips[name], 'loop_cycles'), 6)

    def test_the_recipe_of_the_sample_closes_walks_and_keeps_chains_out_of_the_skin(self):
        clips = self.report_of('run', SAMPLE / 'humanoid.glb', '--recipe', SAMPLE / 'recipe.toml')
        self.assertEqual(set(clips), {'Walk', 'WalkForward', 'Run', 'Idle'})
        for name, clip in clips.items():
            with self.subTest(name):
                if name != 'Run':
                    self.assertLess(after(clip, 'loop_seam_deg'), 1.0)
                    self.assertLess(after(clip, 'skin_penetrating_percent'), 0.5)
                self.assertLess(after(clip, 'skin_penetrating_percent'), 1.0)
                self.assertLess(after(clip, 'max_skin_penetration_mm'), 20.0)

    def test_a_skirt_that_avoids_the_skin_of_running_legs_stays_outside(self):
        penetrating = {}
        for colliders in ('auto', 'skin'):
            clips = self.report_of(
                'dynamic-bones',
                SAMPLE / 'humanoid.glb',
                *('--auto', '--colliders', colliders, '--clip', 'Run'),
            )
            penetrating[colliders] = after(clips['Run'], 'skin_penetrating_percent')
        self.assertGreater(penetrating['auto'], 1.0)
        self.assertLess(penetrating['skin'], 0.5)


if __name__ == '__main__':
    unittest.main()
