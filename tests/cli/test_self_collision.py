# SPDX-License-Identifier: MIT
"""The stage self-collision as a process: what another program finds in the files that it writes."""
import json
import unittest

from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
CLIPS = ('ArmsThroughBelly', 'HandsOnHips', 'LegsCrossing')
LIMBS = ('Shoulder', 'Arm', 'ForeArm', 'Hand', 'UpLeg', 'Leg', 'Foot', 'ToeBase')
NOD = (
    'HIERARCHY\nROOT Hips {\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n'
    'End Site {\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 1\n0 0 0\n90 0 0\n'
)


class SelfCollision(ProcessTest):
    def run_stage(self, source, output, *arguments):
        """Metrics of each clip: name to {'before': .., 'after': ..}."""
        report = self.folder / 'report.json'
        self.run_clipmill(
            'self-collision', source, '-o', output, '--report', report, '-q', *arguments
        )
        found = {}
        for clip in json.loads(report.read_text())['clips']:
            self.assertEqual(len(clip['stages']), 1)
            found[clip['clip']] = clip['stages'][0]['metrics']
        return found

    def worlds_of(self, file, clip):
        """World matrices of each node by its name, one a frame."""
        poses = self.run_json('poses', file, '--clip', clip, '--fps', 30, '--json')
        names = [path.rsplit('/', 1)[-1] for path in poses['nodes']]
        world = poses['clips'][0]['world']
        return {name: [pose[i] for pose in world] for i, name in enumerate(names)}

    def test_threads_change_no_byte(self):
        for threads in (1, 2):
            self.run_clipmill(
                'self-collision', SAMPLE, '-o', f'{threads}.glb', '--threads', threads, '-q'
            )
        one, two = (self.folder / f'{threads}.glb' for threads in (1, 2))
        self.assertTrue(one.read_bytes() == two.read_bytes())

    def as_fbx(self):
        self.run_clipmill('convert', SAMPLE, '-o', 'fat.fbx', '-q')
        return self.folder / 'fat.fbx'

    def assertOnlyLimbsMove(self, source, output, decimals):
        for clip in CLIPS:
            before, after = self.worlds_of(source, clip), self.worlds_of(output, clip)
            self.assertEqual(list(before), list(after))
            for name, worlds in before.items():
                is_limb = any(name in ('Left' + part, 'Right' + part) for part in LIMBS)
                if is_limb:
                    continue
                for was, is_now in zip(worlds, after[name]):
                    for a, b in zip(was, is_now):
                        self.assertAlmostEqual(a, b, decimals, (clip, name))

    def test_arms_do_not_penetrate_the_belly_in_glb_and_fbx(self):
        for source, decimals in ((SAMPLE, 12), (self.as_fbx(), 6)):
            output = self.folder / ('free' + source.suffix)
            clips = self.run_stage(source, output)
            self.assertEqual(set(clips), set(CLIPS))
            for clip in ('ArmsThroughBelly', 'LegsCrossing'):
                metrics = clips[clip]
                self.assertGreater(metrics['before']['penetrating_frames_percent'], 20.0, clip)
                self.assertEqual(metrics['after']['penetrating_frames_percent'], 0.0, clip)
                self.assertLessEqual(metrics['after']['max_penetration_percent'], 1.0, clip)
            self.assertOnlyLimbsMove(source, output, decimals)

    def test_what_was_free_before_the_window_is_as_it_was(self):
        self.run_stage(SAMPLE, 'free.glb')
        before = self.worlds_of(SAMPLE, 'ArmsThroughBelly')
        after = self.worlds_of('free.glb', 'ArmsThroughBelly')
        for name in before:
            for frame in (0, -1):
                for a, b in zip(before[name][frame], after[name][frame]):
                    self.assertAlmostEqual(a, b, 4, name)

    def test_check_agrees_with_the_report(self):
        self.run_stage(SAMPLE, 'free.glb')
        checked = self.run_json('check', 'free.glb', '--json')
        for clip in checked['clips']:
            if clip['clip'] == 'HandsOnHips':
                continue
            self.assertLessEqual(clip['measures']['max_penetration_percent'], 1.05, clip['clip'])

    def test_no_joint_exceeds_the_largest_rotation_at_frames_and_midpoints(self):
        import joint_rotations as jr

        joints = [side + limb for side in ('Left', 'Right') for limb in LIMBS]
        for limit_deg in (20, 60):
            output = self.folder / f'limit_{limit_deg}.glb'
            metrics = self.run_stage(SAMPLE, output, '--max-rotation-deg', str(limit_deg))
            for clip in CLIPS:
                before, after = jr.ClipPoses(SAMPLE, clip), jr.ClipPoses(output, clip)
                max_deg = 0.0
                for joint in joints:
                    was, is_now = before.rotations(joint), after.rotations(joint)
                    max_deg = max(max_deg, jr.angles_deg(was, is_now).max())
                    if joint.endswith(('Arm', 'Leg')) and jr.rms_jerk(was, 30) > 1.0:
                        jerk = jr.rms_jerk(is_now, 30) / jr.rms_jerk(was, 30)
                        self.assertLessEqual(jerk, 1.12, (clip, joint, limit_deg))
                self.assertLessEqual(max_deg, limit_deg + 0.01, clip)
                self.assertAlmostEqual(
                    max_deg, metrics[clip]['after']['max_rotation_deg'], 1, (clip, limit_deg)
                )
                self.assertEqual(metrics[clip]['after']['penetrating_frames_percent'], 0.0, clip)

    def test_what_the_largest_rotation_leaves_is_reported_with_joint_frame_and_depth(self):
        report = self.folder / 'narrow.json'
        self.run_clipmill(
            *('self-collision', SAMPLE, '-o', 'narrow.glb', '--max-rotation-deg', '5', '-q'),
            *('--report', report),
        )
        for clip in json.loads(report.read_text())['clips']:
            stage = clip['stages'][0]
            self.assertGreater(stage['metrics']['after']['penetrating_frames_percent'], 0.0)
            warnings = {w['code']: w['first'] for w in stage['warnings']}
            self.assertRegex(
                warnings['rotation_limit'],
                r'^%s: .* - .*, \w+, frame \d+, \d+\.\d %% of the height left$' % clip['clip'],
            )

    def test_the_reference_method_reports_what_remains(self):
        clips = self.run_stage(SAMPLE, 'paper.glb', '--method', 'reference')
        for metrics in clips.values():
            for kind in ('key_frames_', 'skipped_frames_'):
                for measure in ('penetrating_percent', 'boxes_overlap_percent'):
                    name = kind + measure
                    self.assertLessEqual(metrics['after'][name], metrics['before'][name], name)
        belly = clips['ArmsThroughBelly']
        self.assertGreater(belly['before']['key_frames_boxes_overlap_percent'], 0.0)

    def test_the_recipe_of_the_sample_runs(self):
        recipe = SAMPLE.parent / 'recipe.toml'
        self.run_clipmill('run', SAMPLE, '--recipe', recipe, '-o', 'free.glb', '-q')
        self.run_stage(SAMPLE, 'same.glb')
        for clip in CLIPS:
            self.assertEqual(self.worlds_of('free.glb', clip), self.worlds_of('same.glb', clip))

    def test_the_walk_of_a_slim_character_is_resolved_on_the_stout_one(self):
        slim = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
        report = self.folder / 'report.json'
        self.run_clipmill(
            *('run', SAMPLE, '--clip-from', slim, '--clip-from-clip', 'Walk', '-q'),
            *('--recipe', SAMPLE.parent / 'recipe.toml', '-o', 'walk.glb', '--report', report),
        )
        (clip,) = json.loads(report.read_text())['clips']
        metrics = clip['stages'][0]['metrics']
        self.assertGreater(metrics['before']['penetrating_frames_percent'], 50.0)
        self.assertEqual(metrics['after']['penetrating_frames_percent'], 0.0)
        info = self.run_json('info', 'walk.glb', '--json')
        self.assertEqual([c['name'] for c in info['clips']], [*CLIPS, 'Walk'])

    def test_errors_are_one_sentence(self):
        (self.folder / 'nod.bvh').write_text(NOD)
        self.run_clipmill('convert', 'nod.bvh', '-o', 'nod.glb', '-q')
        for source, arguments, code, parts in (
            ('nod.glb', (), 3, ['no humanoid was found', 'humanoid_map']),
            (
                SAMPLE,
                ('--humanoid-map', 'leftArm=LeftArm'),
                2,
                ["no role 'leftArm'", 'leftUpperArm'],
            ),
            (SAMPLE, ('--humanoid-map', 'leftUpperArm=LeftArn'), 3, ['LeftArn', 'LeftArm']),
            (
                SAMPLE,
                ('--humanoid-map', 'leftHand=Head,head=LeftHand', '--min-confidence', '1'),
                3,
                ['min_confidence', 'hips=Hips', 'humanoid_map'],
            ),
            (SAMPLE, ('--method', 'paper'), 2, ['exact', 'reference']),
        ):
            process = self.run_clipmill(
                'self-collision', source, '-o', 'out.glb', *arguments, exit_code=code
            )
            self.assertOneSentence(process.stderr, *parts)
        self.assertFalse((self.folder / 'out.glb').exists())

    def test_contacts_of_a_report_can_be_edited_and_given_back(self):
        def run(output, contacts):
            recipe = {'stage': [{'type': 'self-collision', 'contact': contacts}]}
            (self.folder / 'recipe.json').write_text(json.dumps(recipe))
            self.run_clipmill(
                'run', SAMPLE, '--recipe', 'recipe.json', '-o', output, '--report', 'report.json',
                '-q',
            )  # fmt: skip
            report = json.loads((self.folder / 'report.json').read_text())
            stages = [clip['stages'][0] for clip in report['clips']]
            return stages, (self.folder / output).read_bytes()

        stages, found = run('found.glb', [])
        contacts = [contact for stage in stages for contact in stage.get('contact', [])]
        self.assertTrue(any(c['parts'] == 'left arm - trunk' for c in contacts))
        for stage in stages:
            for gap in stage.get('contact_gaps_mm', []):
                self.assertGreaterEqual(gap['after'], 0.0)
        _, again = run('again.glb', contacts)
        self.assertTrue(found == again)
        none, changed = run('none.glb', [{'clip': '*', 'kind': 'none'}])
        self.assertTrue(all('contact' not in stage for stage in none))
        self.assertFalse(found == changed)

        # Hands that hold one thing, as the list has it, keep their relative transform.
        grip = [{'clip': 'HandsOnHips', 'kind': 'grip'}]
        held, _ = run('held.glb', grip)
        metrics = [stage['metrics']['after'] for stage in held]
        kept = [after['grips_kept_percent'] for after in metrics if 'grips_kept_percent' in after]
        self.assertEqual(kept, [100.0])
        before, after = (self.worlds_of(f, 'HandsOnHips') for f in (SAMPLE, 'held.glb'))
        for was, is_now in zip(self.gaps_of(before), self.gaps_of(after)):
            self.assertAlmostEqual(was, is_now, delta=0.005)
        (self.folder / 'bad.json').write_text(
            json.dumps({'stage': [{'type': 'self-collision', 'contact': [{'parts': 'nose'}]}]})
        )
        process = self.run_clipmill(
            'run', SAMPLE, '--recipe', 'bad.json', '-o', 'bad.glb', exit_code=2
        )
        self.assertOneSentence(process.stderr, 'contact[0].parts', 'left arm - trunk')

    def test_upper_arms_leave_the_trunk_where_nothing_becomes_worse(self):
        def run(output, *arguments):
            self.run_clipmill(
                'self-collision', SAMPLE, '-o', output, '--report', 'report.json', '-q', *arguments
            )
            clips = json.loads((self.folder / 'report.json').read_text())['clips']
            return {clip['clip']: clip['stages'][0] for clip in clips}

        def names(stage):
            return {series['of'] for series in stage['series']}

        def depths(stage, key):
            series = [s for s in stage['series'] if 'upper arm' in s['of']]
            return [max(values) for values in zip(*(s[key] for s in series))]

        plain, with_arms = run('plain.glb'), run('arms.glb', '--upper-arms')
        before = after = 0
        for clip in CLIPS:
            was, now = (stages[clip]['metrics']['after'] for stages in (plain, with_arms))
            source = with_arms[clip]['metrics']['before']
            self.assertEqual(
                names(with_arms[clip]) - names(plain[clip]),
                {f'{s} upper arm - {o}' for s in ('left', 'right') for o in ('trunk', 'head')},
            )
            before += sum(depth > 1.0 for depth in depths(with_arms[clip], 'before'))
            after += sum(depth > 1.0 for depth in depths(with_arms[clip], 'after'))
            contacts = [m.get('contacts_kept_percent', 100.0) for m in (was, now)]
            self.assertGreaterEqual(contacts[1], contacts[0], clip)
            self.assertLessEqual(now['max_rotation_deg'], 60.0)
            for joint in ('shoulder', 'elbow'):
                name = joint + '_jerk_radps3'
                self.assertLessEqual(now[name], 1.1 * source[name] + 1e-6, (clip, name))
        print(f'upper arms: {before} frames above 1 % before, {after} after')
        self.assertGreater(before, 20)
        self.assertLess(after, 0.5 * before)

    def gaps_of(self, worlds):
        """Distance of the hands in each frame."""
        return [
            sum((a[4 * i + 3] - b[4 * i + 3]) ** 2 for i in range(3)) ** 0.5
            for a, b in zip(worlds['LeftHand'], worlds['RightHand'])
        ]


if __name__ == '__main__':
    unittest.main()
