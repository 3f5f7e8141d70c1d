# SPDX-License-Identifier: MIT
"""Outputs of tet-bake, decoded by the independent evaluator: the sample's elbow and forearm, and
real characters."""
import itertools
import json
import re
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
CLIPS = ('ElbowBend', 'ForearmTwist')
FPS = 30.0

# Real characters and clips with large joint angles.
CHARACTERS = {
    corpus.CORPUS / 'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb': ('fight_kick', 'run'),
    corpus.CORPUS
    / 'gltf/KayKit-Game-Assets__Barbarian.glb': (
        'Running_Strafe_Right',
        'Lie_Down',
        'Lie_Idle',
    ),
}

# Clips in which the folds of knees flip triangles in a few frames.
FOLDED = re.compile('(Lie|Sit_Floor)_(Down|.*Up)|Walking_C')
# Bends in which skinning leaves 60 to 79 % of a limb. In a bake of the last two clips alone a hand
# fades in a few frames of the second.
FADED_PERCENT = 0.2
BENT = {
    'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb': (
        'dash',
        'fight_kick',
        'air_jump',
        'air_jump_anticipation',
        'air_land',
        'run',
    ),
    'gltf/KayKit-Game-Assets__Barbarian.glb': ('Dualwield_Melee_Attack_Chop', '2H_Melee_Idle'),
}

# Clips in which the volume that limbs keep pushes them into other skin, where nothing prevents it;
# and how far under the skin it is looked for, of the height.
PENETRATING = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
PENETRATING_CLIPS = 'Spellcast_Raise|Lie_Pose|Lie_Idle'
DEPTH_SHARE = 0.002
MAX_JUMP = 1.1  # of the largest acceleration with plain skinning
# Clips whose edges were strained or flipped more than with plain skinning before they were mended.
STRAINED = {
    'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb': ('air_jump', 'run'),
    'gltf/KayKit-Game-Assets__Barbarian.glb': (
        'Dualwield_Melee_Attack_Chop',
        'Sit_Floor_.*Up',
    ),
}


class SampleClips(ProcessTest):
    def bake(self, output, *arguments):
        """The stage's part of the report, one a clip."""
        report = self.folder / (output + '.json')
        self.run_clipmill('tet-bake', SAMPLE, '-o', output, '--report', report, '-q', *arguments)
        return {c['clip']: c['stages'][0] for c in json.loads(report.read_text())['clips']}

    def test_the_decoded_skin_has_the_errors_of_the_report(self):
        import baked_skin

        for arguments in ((), ('--preset', 'web8'), ('--preset', 'engine')):
            stages = self.bake('full.glb', *arguments)
            self.bake('cached.glb', '--bake-to', 'pc2')
            full, plain = (baked_skin.GltfSkin(p) for p in (self.folder / 'full.glb', SAMPLE))
            wanted = [baked_skin.read_pc2(self.folder / f'cached_{c}_Body.pc2') for c in CLIPS]
            times = [frame / FPS for frame in range(len(wanted[0]))]
            positions, before = ([s.positions(c, times) for c in CLIPS] for s in (full, plain))
            for clip, after, skinned in zip(
                CLIPS,
                baked_skin.errors_mm(positions, wanted, before),
                baked_skin.errors_mm(before, wanted, before),
            ):
                metrics = stages[clip]['metrics']
                print(
                    '%s %s: %d targets, %d bytes, rms %.3f mm (reported %.3f), plain %.3f'
                    % (
                        clip,
                        ' '.join(arguments),
                        full.targets(),
                        metrics['after']['morph_bytes'],
                        after[0],
                        metrics['after']['skin_error_rms_mm'],
                        skinned[0],
                    )
                )
                self.assertEqual(full.targets(), metrics['after']['morphs'])
                least, most = full.weights_range(clip)
                self.assertLessEqual(most, 1.0)
                self.assertEqual(least < 0.0, 'web8' in arguments)
                self.assertLess(after[0], metrics['after']['skin_error_rms_mm'] + 0.05)
                self.assertLess(after[1], metrics['after']['skin_error_max_mm'] + 0.5)
                # Points that several vertices share count once in the report.
                reported = metrics['before']['skin_error_rms_mm']
                self.assertAlmostEqual(skinned[0], reported, delta=0.1 * reported)
                self.assertLess(after[0], 0.5 * skinned[0])

    def test_an_elbow_at_a_right_angle_keeps_its_volume_where_plain_skinning_loses_it(self):
        import baked_skin

        stages = self.bake('full.glb')
        full, plain = (baked_skin.GltfSkin(p) for p in (self.folder / 'full.glb', SAMPLE))
        # Twist joints share the skin of the forearm: the original file identifies its triangles.
        corners, rims = baked_skin.limb_triangles(plain, ('LeftArm', 'LeftForeArm'))
        self.assertEqual(len(rims), 2)
        # 150 degrees in 40 frames: 90 degrees at the twenty-fourth.
        right_angle = 24
        shares = {}
        for name, skin in (('plain', plain), ('baked', full)):
            (bent,) = skin.positions('ElbowBend', (right_angle / FPS,))
            volumes = [baked_skin.limb_volume(p, corners, rims) for p in (skin.rest(), bent)]
            shares[name] = 100.0 * volumes[1] / volumes[0]
        print('elbow at 90 degrees: %(plain).2f %% of its volume, baked %(baked).2f %%' % shares)
        self.assertLess(shares['plain'], 98.0)
        self.assertLess(abs(shares['baked'] - 100.0), 2.0)
        (series,) = [
            s
            for s in stages['ElbowBend']['series']
            if s['name'] == 'limb_volume_percent' and s['of'] == 'LeftForeArm'
        ]
        self.assertAlmostEqual(series['before'][right_angle], shares['plain'], delta=0.3)
        self.assertAlmostEqual(series['after'][right_angle], shares['baked'], delta=0.3)

    def test_twist_joints_support_180_degrees_and_change_nothing_else(self):
        import baked_skin
        import numpy

        half_rotation_s = 40 / FPS
        plain = baked_skin.GltfSkin(SAMPLE)
        corners, rims = baked_skin.limb_triangles(plain, ('LeftArm', 'LeftForeArm'))
        volumes, largest_mm = {}, {}
        rest = baked_skin.limb_volume(plain.rest(), corners, rims)
        for twist in ('off', 'auto'):
            stages = self.bake('full.glb', '--clip', 'ForearmTwist', '--twist-joints', twist)
            largest_mm[twist] = stages['ForearmTwist']['metrics']['after']['skin_error_max_mm']
            baked = baked_skin.GltfSkin(self.folder / 'full.glb')
            for name, skin in (('plain', plain), (twist, baked)):
                (positions,) = skin.positions('ForearmTwist', (half_rotation_s,))
                volumes[name] = 100.0 * baked_skin.limb_volume(positions, corners, rims) / rest
        print('forearm at 180 degrees:', volumes, 'largest error, mm:', largest_mm)
        self.assertGreater(volumes['auto'], volumes['off'] + 1.0)
        self.assertGreater(volumes['off'], volumes['plain'] + 1.0)
        self.assertLess(largest_mm['auto'], 0.25 * largest_mm['off'])

        joints = [n['name'] for n in baked.gltf.nodes if n['name'].startswith('twist_')]
        self.assertEqual(joints, ['twist_LeftForeArm_1', 'twist_LeftForeArm_2'])
        # Neither the pose at rest nor a clip that was not baked moves.
        times = numpy.arange(0.0, 2.0, 0.2)
        were, now = (s.posed('ElbowBend', times) for s in (plain, baked))
        self.assertLess(abs(now[0] - were[0]).max(), 1e-6)
        self.assertLess(abs(now[1] - were[1]).max(), 1e-6)
        for primitive in baked.primitives():
            attributes = primitive['attributes']
            self.assertNotIn('JOINTS_1', attributes)
            weights = baked.gltf.accessor(attributes['WEIGHTS_0'])
            self.assertLess(abs(weights.sum(axis=1) - 1.0).max(), 1e-6)
        arm = numpy.isin(were[2], ('LeftArm', 'LeftForeArm'))
        self.assertTrue((were[2] == now[2])[~arm].all())

    def test_signed_weights_and_int16_deltas_show_the_same_skin(self):
        import baked_skin
        import numpy

        times = numpy.arange(61) / FPS
        positions = {}
        for name, arguments in {
            'positive': (),
            'signed': ('--weights', 'signed'),
            'integers': ('--deltas', 'int16'),
        }.items():
            self.bake('full.glb', *arguments)
            skin = baked_skin.GltfSkin(self.folder / 'full.glb')
            positions[name] = [skin.positions(c, times) for c in CLIPS]
            ranges = [skin.weights_range(c) for c in CLIPS]
            print(name, skin.targets(), 'targets, weights', ranges)
            self.assertEqual(min(low for low, _ in ranges) < 0.0, name == 'signed')
            self.assertLessEqual(max(high for _, high in ranges), 1.0)
        for name in ('signed', 'integers'):
            for ours, theirs in zip(positions['positive'], positions[name]):
                # Each has keys left out by a tenth of a millimetre.
                self.assertLess(numpy.linalg.norm(ours - theirs, axis=2).max(), 2e-4)


class RealCharacters(ProcessTest):
    def test_the_skin_does_not_crack_pop_or_stick_together(self):
        import baked_skin
        import numpy

        for path, clips in CHARACTERS.items():
            choice = [flag for clip in clips for flag in ('--clip', clip)]
            self.run_clipmill('tet-bake', path, '-o', 'baked.glb', '-q', *choice)
            plain, baked = (baked_skin.GltfSkin(p) for p in (path, self.folder / 'baked.glb'))
            for clip in clips:
                start, end = plain.gltf.clip_range(plain.clips[clip])
                times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
                rest, before, names = plain.posed(clip, times)
                _, after, _ = baked.posed(clip, times)
                first = baked_skin.welded(rest)
                self.assertGreater((first < numpy.arange(len(first))).sum(), 100)
                gaps = [baked_skin.widest_gap(p, first) for p in (before, after)]
                # Vertices that plain skinning parts may part further.
                self.assertLess(gaps[1], gaps[0] + 1e-5)

                were, now = (baked_skin.accelerations(p) for p in (before, after))
                ratio = now.max() / were.max()
                moved = numpy.linalg.norm(after - before, axis=2).max(axis=0)
                fingers = [any(f in n for f in ('index', 'middle', 'ring', 'pinky')) for n in names]
                print(
                    '%s, %s: moved by up to %.0f mm, largest acceleration %.3f of before, gaps %.2g'
                    % (path.name, clip, 1e3 * moved.max(), ratio, gaps[1])
                )
                self.assertGreater(moved.max(), 0.01)
                self.assertLess(ratio, 1.2)
                # Skin that no joint bends accelerates as before.
                still = moved < baked_skin.MOVED
                if still.any():
                    self.assertLess(abs(now - were)[:, still].max(), 4 * baked_skin.MOVED)
                # Fingers are thinner than the cells: they keep plain skinning.
                if any(fingers):
                    self.assertLess(moved[fingers].max(), 1e-3)

    def test_few_targets_take_less_space_than_many_and_show_nearly_the_same_skin(self):
        import baked_skin
        import numpy

        path = corpus.CORPUS / 'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb'
        clips = ('air_land', 'dash', 'fight_kick', 'run', 'walk')
        choice = [flag for clip in clips for flag in ('--clip', clip)]
        skins, added = {'plain': baked_skin.GltfSkin(path)}, {}
        presets = {name: ['--preset', name] for name in ('full', 'engine', 'web8')}
        presets['fine'] = [*presets['engine'], '--tolerance-mm', 0.5]
        for name, flags in presets.items():
            output = self.folder / (name + '.glb')
            self.run_clipmill('tet-bake', path, '-o', output, '-q', *choice, *flags)
            skins[name] = baked_skin.GltfSkin(output)
            added[name] = output.stat().st_size - path.stat().st_size
        squares = {name: 0.0 for name in skins}
        for clip in clips:
            start, end = skins['plain'].gltf.clip_range(skins['plain'].clips[clip])
            times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
            full = skins['full'].posed(clip, times)[1]
            for name, skin in skins.items():
                distances = numpy.linalg.norm(skin.posed(clip, times)[1] - full, axis=2)
                squares[name] += (distances**2).sum()
        # Of the distance of plain skinning.
        shares = {name: (squares[name] / squares['plain']) ** 0.5 for name in skins}
        targets = {name: skins[name].targets() for name in added}
        print('targets', targets, 'bytes', added, 'distance from full, of plain skinning', shares)
        self.assertGreater(targets['full'], 32)
        self.assertLessEqual(targets['engine'], 32)
        self.assertLessEqual(targets['fine'], 32)
        self.assertLessEqual(targets['web8'], 8)
        self.assertLess(added['engine'], 0.4 * added['full'])
        self.assertLess(added['fine'], 0.7 * added['full'])
        self.assertLess(added['web8'], 0.75 * added['engine'])
        self.assertLess(shares['engine'], 0.25)
        self.assertLess(shares['fine'], 0.2)
        self.assertLess(shares['web8'], 0.45)

    def bake(self, path, clips, preset='full'):
        """The stage's part of the report, one a clip."""
        flags = [flag for clip in clips for flag in ('--clip', clip)]
        flags += ['--preset', preset, '--report', self.folder / 'report.json']
        self.run_clipmill('tet-bake', path, '-o', 'baked.glb', '-q', *flags)
        report = self.folder / 'report.json'
        return {c['clip']: c['stages'][0] for c in json.loads(report.read_text())['clips']}

    def test_a_few_bad_frames_fade_and_the_others_keep_the_bake(self):
        import baked_skin
        import numpy

        path = corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb'
        names = baked_skin.GltfSkin(path).clips
        folded = [name for name in names if FOLDED.fullmatch(name)]
        self.assertEqual(len(folded), 5)
        stages = self.bake(path, folded)
        plain, baked = (baked_skin.GltfSkin(p) for p in (path, self.folder / 'baked.glb'))
        faded = 0
        for clip in folded:
            warnings = [w['code'] for w in stages[clip].get('warnings', [])]
            self.assertNotIn('worse_than_skinning', warnings)
            series = stages[clip]['series']
            shares = [s['after'] for s in series if s['name'] == 'bake_share_percent']
            faded += len(shares)
            self.assertEqual('bake_faded' in warnings, bool(shares))
            (errors,) = [s['after'] for s in series if s['name'] == 'skin_error_rms_mm']
            whole = [all(s[f] == 100.0 for s in shares) for f in range(len(errors))]
            outside = numpy.array(errors)[whole]
            rms_mm = numpy.sqrt((outside**2).mean())
            start, end = plain.gltf.clip_range(plain.clips[clip])
            times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
            were, now = (
                baked_skin.accelerations(s.posed(clip, times)[1]) for s in (plain, baked)
            )
            print(
                '%s: %d joints fade, %d of %d frames whole, rms there %.2f mm, acceleration %.3f'
                % (clip, len(shares), sum(whole), len(whole), rms_mm, now.max() / were.max())
            )
            self.assertGreater(sum(whole), len(whole) // 3)
            self.assertLess(rms_mm, 1.5)
            self.assertLess(now.max(), 1.2 * were.max())
        self.assertGreater(faded, 0)

    def test_large_bends_keep_90_percent_of_limbs_and_the_volume_of_dual_quaternions(self):
        for (name, clips), preset in itertools.product(BENT.items(), ('full', 'engine')):
            for clip, stage in self.bake(corpus.CORPUS / name, clips, preset).items():
                before, after = (stage['metrics'][k] for k in ('before', 'after'))
                least = after['min_limb_volume_percent']
                dual = after['dual_quaternion_min_limb_volume_percent']
                print(
                    '%s %s: least limb volume %.1f %% with skinning, %.1f baked, '
                    '%.1f dual quaternions'
                    % (preset, clip, before['min_limb_volume_percent'], least, dual)
                )
                self.assertLess(before['min_limb_volume_percent'], 80.0)
                faded = any(w['code'] == 'bake_faded' for w in stage['warnings'])
                self.assertGreater(least, max(dual - faded * FADED_PERCENT, 90.0))
                if preset == 'full':
                    flipped = [m['max_flipped_edges'] for m in (before, after)]
                    self.assertLessEqual(flipped[1], flipped[0] + 5)

    def test_edges_are_not_worse_than_with_plain_skinning_in_clips_that_were(self):
        import baked_skin
        import numpy

        for name, patterns in STRAINED.items():
            path = corpus.CORPUS / name
            names = baked_skin.GltfSkin(path).clips
            clips = [c for c in names if any(re.fullmatch(p, c) for p in patterns)]
            self.assertEqual(len(clips), 2)
            self.bake(path, clips)
            plain, baked = (baked_skin.GltfSkin(p) for p in (path, self.folder / 'baked.glb'))
            for clip in clips:
                start, end = plain.gltf.clip_range(plain.clips[clip])
                times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
                rest, before, names = plain.posed(clip, times)
                _, after, _ = baked.posed(clip, times)
                edges = baked_skin.Edges(rest, plain.skinned_triangles(), names)
                strain = [edges.largest_strain(frames) for frames in (before, after)]
                flipped = [edges.max_flipped(frames) for frames in (before, after)]
                print('%s: strain %.3f -> %.3f, flipped edges %d -> %d'
                      % (clip, *strain, *flipped))  # fmt: skip
                self.assertLess(strain[1], strain[0])
                self.assertLessEqual(flipped[1], flipped[0])

    def test_no_more_vertices_are_within_other_skin_than_with_plain_skinning(self):
        import baked_skin
        import numpy

        names = baked_skin.GltfSkin(PENETRATING).clips
        clips = [c for c in names if re.fullmatch(PENETRATING_CLIPS, c)]
        self.assertEqual(len(clips), 3)
        self.bake(PENETRATING, clips)
        skins = [baked_skin.GltfSkin(p) for p in (PENETRATING, self.folder / 'baked.glb')]
        triangles = skins[0].skinned_triangles()
        for clip in clips:
            start, end = skins[0].gltf.clip_range(skins[0].clips[clip])
            times = numpy.linspace(start, end, 3)
            counts = []
            for skin in skins:
                rest, frames, _ = skin.posed(clip, times)
                depth = DEPTH_SHARE * numpy.ptp(rest[:, 1])
                weld = baked_skin.welded(rest)
                counts.append(
                    max(baked_skin.within_others(p, triangles, weld, depth) for p in frames)
                )
            print('%s: vertices within other skin %d -> %d' % (clip, *counts))
            self.assertLessEqual(counts[1], counts[0])
            times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
            if len(times) < 3:
                continue
            largest = [baked_skin.accelerations(s.posed(clip, times)[1]).max() for s in skins]
            self.assertLess(largest[1], MAX_JUMP * largest[0], clip)

    def test_fingers_too_thin_for_the_cells_have_the_volume_of_dual_quaternions(self):
        clip_flags = ['--clip-from', corpus.CORPUS / next(iter(BENT))]
        clip_flags += ['--clip-from-clip', '*fight_*']
        self.run_clipmill(
            *('tet-bake', corpus.CORPUS / 'vrm/V-Sekai__Godette_vrm_v4.vrm', '-o', 'baked.vrm'),
            *('-q', '--report', self.folder / 'report.json', *clip_flags),
        )
        report = json.loads((self.folder / 'report.json').read_text())
        self.assertEqual(len(report['clips']), 3)
        codes = set()
        for clip in report['clips']:
            (stage,) = clip['stages']
            codes |= {warning['code'] for warning in stage['warnings']}
            before, after = (stage['metrics'][k] for k in ('before', 'after'))
            least = after['min_limb_volume_percent']
            dual = after['dual_quaternion_min_limb_volume_percent']
            print('%s: %.1f %% with skinning, %.1f baked, %.1f dual quaternions'
                  % (clip['clip'], before['min_limb_volume_percent'], least, dual))  # fmt: skip
            self.assertLess(before['min_limb_volume_percent'], 80.0)
            self.assertGreater(least, max(dual, 89.5))
        self.assertIn('cells_too_large', codes)

    def test_helper_joints_do_not_pop(self):
        import baked_skin
        import numpy

        path, clips = next(iter(CHARACTERS.items()))
        choice = [flag for clip in clips for flag in ('--clip', clip)]
        self.run_clipmill('tet-bake', path, '-o', 'bones.glb', '-q', '--bake-to', 'bones', *choice)
        plain, baked = (baked_skin.GltfSkin(p) for p in (path, self.folder / 'bones.glb'))
        for clip in clips:
            start, end = plain.gltf.clip_range(plain.clips[clip])
            times = numpy.arange(start, end + 1e-6, 1.0 / FPS)
            _, before, _ = plain.posed(clip, times)
            _, after, _ = baked.posed(clip, times)
            were, now = (baked_skin.accelerations(p) for p in (before, after))
            ratio = now.max() / were.max()
            print('%s, helper joints: largest acceleration %.3f of before' % (clip, ratio))
            self.assertGreater(abs(after - before).max(), 0.01)
            self.assertLess(ratio, 1.2)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
