# SPDX-License-Identifier: MIT
"""Contacts of one character in its clips on ten others: by points all over both skins, found and
followed without the program (contact_measures.py)."""
import json
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

GLTF = corpus.CORPUS / 'gltf'
BARBARIAN = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
MANNEQUIN = GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
ROBOT = GLTF / 'raysan5__robot.glb'
GODETTE = corpus.CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
FAT = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
PAIRS = [
    (BARBARIAN, 'Sit_Chair_Idle', GODETTE),
    (BARBARIAN, 'Blocking', MANNEQUIN),
    (BARBARIAN, '2H_Ranged_Aiming', FAT),
    (BARBARIAN, 'Unarmed_Idle', ROBOT),
    (BARBARIAN, 'Block', FAT),
    (BARBARIAN, '2H_Melee_Idle', MANNEQUIN),
    (FAT, 'HandsOnHips', MANNEQUIN),
    (FAT, 'HandsOnHips', BARBARIAN),
    (FAT, 'ArmsThroughBelly', GODETTE),
    (MANNEQUIN, 'fight_idle', BARBARIAN),
]
MEASURED_FPS, JERK_FPS = 10, 30
ARM_JOINTS = [s + joint for s in ('left', 'right') for joint in ('UpperArm', 'LowerArm', 'Hand')]
TWO_HANDED = '2H_'  # names of clips in which both hands hold one thing
# Of the jerk, degrees, percent, and of the error before: of all contacts, and of those that a
# person would name.
MAX_JERK, MAX_ROTATION, MAX_WITHIN, MAX_WITH_UPPER = 1.105, 60.1, 0.2, 0.5
# Upper arms at such an angle from straight down, degrees, in any level direction and with any
# twist: more percent of the arms' vertices are within the body than that.
WITHIN_AT = {BARBARIAN: (60, 1.5), GODETTE: (30, 0.6)}
LEVEL_DEG = (0, 45, 90)  # from sideways to forward
MAX_ERROR, MAX_INTENDED = 1.0, 0.495
STILL = 1e-5  # a third difference of quaternions of less than that is rounding


class Pair:
    """One clip on one character: as retargeted, and with self-collision."""

    def __init__(self, test, source, clip, target):
        import contact_measures as measures

        self.m, self.name = measures, f'{source.stem[:9]} {clip} on {target.stem[:9]}'
        options = ('--clip-from', source, '--clip-from-clip', clip, '--keys', 'all', '-q')
        plain, free = (test.folder / (kind + target.suffix) for kind in ('plain', 'free'))
        report = test.folder / 'report.json'
        test.run_clipmill('run', target, *options, '-o', plain)
        test.run_clipmill(
            *('self-collision', target, *options, '--contacts-from', 'source', '-o', free),
            *('--report', report),
            exit_code=None,
        )
        self.report = json.loads(report.read_text())
        self.source = measures.Character(source, test.roles_of(source))
        roles = test.roles_of(target)
        self.plain, self.free = measures.Character(plain, roles), measures.Character(free, roles)
        self.clip, self.own = list(self.plain.clips)[-1], clip
        self.span = self.source.gltf.clip_range(self.source.clips[clip])

    def times(self, fps):
        import numpy

        start, end = self.span
        return numpy.linspace(start, end, max(5, int((end - start) * fps) + 1))

    def measure(self):
        times = self.times(MEASURED_FPS)
        contacts = self.m.find_contacts(self.source, self.own, times)
        offset = self.plain.gltf.clip_range(self.plain.clips[self.clip])[0] - self.span[0]
        for contact in contacts:
            contact.time += offset
        locations = self.m.find_locations(contacts, self.plain, self.clip)
        row = {'pair': self.name, 'contacts': len(contacts), **self.intended(times, offset)}
        for key, character in (('plain', self.plain), ('free', self.free)):
            errors = self.m.contact_errors(locations, character, self.clip)
            row[key + ' error'] = float(errors.mean()) if len(errors) else None
            within = self.m.penetrating_shares(character, self.clip, times[::2] + offset)
            row[key + ' within'], row[key + ' with upper'] = within
        return {**row, **self.motion(offset)}

    def intended(self, times, offset):
        """Errors of the contacts that a person would name, and of hands that hold one thing."""
        held = ()
        if self.own.startswith(TWO_HANDED):
            held = self.m.holding_times(self.source, self.own, times)
        contacts = self.m.find_intended(self.source, self.own, times, held)
        for contact in contacts:
            contact.time += offset
        locations = self.m.find_locations(contacts, self.plain, self.clip)
        row = {'intended': len(contacts) + len(held)}
        for key, character in (('plain', self.plain), ('free', self.free)):
            errors = list(self.m.contact_errors(locations, character, self.clip))
            if len(held):
                errors += list(
                    self.m.holding_errors(
                        self.source, self.own, held, character, self.clip, offset
                    )
                )
            row[key + ' intended'] = sum(errors) / len(errors) if errors else None
        return row

    def motion(self, offset):
        times = self.times(JERK_FPS) + offset
        roles = [r for r in ARM_JOINTS if r in self.plain.roles]
        before, after = (
            self.m.rotations(c, self.clip, times, roles) for c in (self.plain, self.free)
        )
        # A wrist may have the jerk of its elbow, as the documentation has it.
        allowed = {r: max(STILL, self.m.jerk(before[r])) for r in roles}
        for role in roles:
            if role.endswith('Hand'):
                allowed[role] = max(allowed[role], allowed[role[:-4] + 'LowerArm'])
        ratios = [self.m.jerk(after[r]) / allowed[r] for r in roles]
        angles = [self.m.angles_between(before[r], after[r]).max() for r in roles]
        return {'jerk': float(max(ratios)), 'rotation': float(max(angles))}


HEADER = (
    f'{"":42} intended   error %      contacts  error %       within %     with upper %   jerk'
    '  degrees'
)


def text_of(row):
    def two(key):
        before, after = row['plain' + key], row['free' + key]
        return '      -      ' if before is None else f'{before:6.2f} {after:6.2f}'

    return (
        f'{row["pair"]:42} {row["intended"]:5}   {two(" intended")}'
        f'  {row["contacts"]:5}   {two(" error")}  {two(" within")}'
        f'  {two(" with upper")}  {row["jerk"]:5.2f}  {row["rotation"]:5.1f}'
    )


class SourceContacts(ProcessTest):
    def roles_of(self, path):
        return self.run_json('info', path, '--json')['humanoid']['roles']

    def test_ten_pairs_of_clips_and_characters(self):
        print('\n' + HEADER)
        rows = []
        for source, clip, target in PAIRS:
            rows.append(Pair(self, source, clip, target).measure())
            print(text_of(rows[-1]), flush=True)
        for row in rows:
            self.assertLess(row['jerk'], MAX_JERK, row)
            self.assertLess(row['rotation'], MAX_ROTATION, row)
            self.assertLess(row['free within'], MAX_WITHIN, row)
            self.assertLess(row['free with upper'], MAX_WITH_UPPER, row)
        for kind, most in (('error', MAX_ERROR), ('intended', MAX_INTENDED)):
            found = [row for row in rows if row['plain ' + kind] is not None]
            self.assertGreaterEqual(len(found), 6, kind)
            before, after = (sum(row[key + kind] for row in found) for key in ('plain ', 'free '))
            print(f'{kind} after: {after / before:.2f} of that before')
            self.assertLess(after, most * before, kind)

    def test_upper_arms_of_some_bodies_are_within_them_in_most_poses_of_the_arm_alone(self):
        import arm_directions
        import contact_measures

        for target, (down_deg, least) in WITHIN_AT.items():
            character = contact_measures.Character(target, self.roles_of(target))
            sides = [arm_directions.ArmDirections(character, s) for s in ('left', 'right')]
            for level_deg in LEVEL_DEG:
                shares = [side.share_within(down_deg, level_deg) for side in sides]
                self.assertGreater(sum(shares) / 2, least, (target.stem, level_deg))


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
