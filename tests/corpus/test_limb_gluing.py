# SPDX-License-Identifier: MIT
"""tet-bake of a character whose legs, shoes and arms are in contact or overlap: limbs
in contact are not glued at any resolution, by positions that share no code with the program."""
import json
import unittest

from clipmill_process import ProcessTest

OVERLAPS_M = (0.0, 0.012)
TETS = (10000, 30000)
ALL_TETS = 200000


class LimbContacts(ProcessTest):
    def bake(self, output, *arguments):
        report = self.folder / 'report.json'
        self.run_clipmill(
            'tet-bake',
            self.folder / 'contact.glb',
            '-o',
            output,
            '--report',
            report,
            '-q',
            *arguments,
        )
        return json.loads(report.read_text())['clips'][0]['stages'][0]

    def solved(self, tets):
        """The solved surface, frames x vertices x 3."""
        import baked_skin

        cache = self.folder / 'cached_Spread_Body.pc2'
        cache.unlink(missing_ok=True)
        self.bake('cached.glb', '--bake-to', 'pc2', '--max-tets', tets, '--cell-mm', 5)
        return baked_skin.read_pc2(cache)

    def check(self, overlap_m, tets):
        import contact_character

        made = contact_character.build(overlap_m)
        (self.folder / 'contact.glb').write_bytes(contact_character.glb_of(made))
        plain = contact_character.skinned(made)
        baked = self.solved(tets)
        opened, glued = contact_character.gluing(made, plain, baked)
        largest_m = float(((baked - plain) ** 2).sum(axis=2).max() ** 0.5)
        print(
            'overlap %g mm, %d tetrahedra: %d pairs move apart, %d of them are glued; the bake '
            'moves skin by up to %.0f mm' % (1e3 * overlap_m, tets, opened, glued, 1e3 * largest_m)
        )
        self.assertGreater(opened, 300)
        self.assertEqual(glued, 0)
        self.assertGreater(largest_m, 0.005)

    def test_limbs_in_contact_are_not_glued(self):
        for overlap_m in OVERLAPS_M:
            for tets in TETS:
                self.check(overlap_m, tets)

    def test_limbs_that_overlap_are_not_glued_at_200_thousand_tetrahedra(self):
        self.check(OVERLAPS_M[-1], ALL_TETS)

    def test_no_joint_is_held_back_as_glued(self):
        import contact_character

        made = contact_character.build(OVERLAPS_M[-1])
        (self.folder / 'contact.glb').write_bytes(contact_character.glb_of(made))
        stage = self.bake('full.glb')
        print(stage['metrics'], [(w['code'], w['first']) for w in stage.get('warnings', [])])
        metrics = stage['metrics']['after']
        self.assertGreater(metrics['max_opened_pairs'], 1000)
        # Pairs up to the crotch count here, where tissue joins the thighs.
        self.assertLess(metrics['max_glued_pairs'], 0.02 * metrics['max_opened_pairs'])
        self.assertNotIn('skin_glued', [w['code'] for w in stage.get('warnings', [])])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
