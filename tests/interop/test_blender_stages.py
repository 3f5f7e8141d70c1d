# SPDX-License-Identifier: MIT
"""The add-on for Blender: stages that edit clips, against the command line's; materials of masks;
and the panel's settings, which are those of the program's schema."""
import json
import math
import unittest

from addon_test import DYNAMIC, SKIN, TOLERANCE_M, AddonTest

# Stages and settings that a scene has no use for; all others are in the panel.
NOT_OFFERED = {'rename'}
OWN = {
    'input': {'clip_from', 'copy_as', 'still_duration_s'},
    'tet-bake': {
        'bake_to', 'deltas', 'normals', 'twist_joints', 'keep_tets', 'tets', 'tets_scale',
        'outside', 'max_joints',
    },
    'root': {'create', 'ik_bones'},
    'stretch': {'ring_count'},
    'dynamic-bones': {'continue_from'},
}
EDITS = {
    'trim': ('Walk', {'start_s': 0.3, 'end_s': 0.6}, 9),
    'retime': ('Walk', {'time_scale': 0.5}, 16),
    'retime slower': ('Walk', {'time_scale': 2.0}, 64),
    'mirror': ('Walk', {}, 32),
    'loop': ('Run', {'window_s': 0.1}, 22),
    'root': ('WalkForward', {'root_motion': 'in_place'}, 32),
}


class BlenderStages(AddonTest):
    script = 'blender_stages.py'

    def test_edits_of_clips_end_where_the_clip_ends(self):
        for name, (clip, settings, last) in EDITS.items():
            with self.subTest(name):
                result = self.results['edits'][name]
                self.assertEqual(result['status'], ['FINISHED'])
                self.assertEqual(result['last_key'], last)
                expected = self.baked(DYNAMIC, name.split()[0], settings, clip)
                self.assert_near(name, result['heads'], expected)

    def test_keys_of_custom_properties_stay_and_are_named_where_the_length_changes(self):
        before = {'trim': 32, 'retime': 32, 'mirror': 32}
        for name, end in before.items():
            result = self.results['edits'][name]
            self.assertEqual(result['glow'], [[end, 1.0]])
            reported = [m for m in result['messages'] if '["glow"]' in m]
            self.assertEqual(len(reported), 0 if name == 'mirror' else 1, result['messages'])

    def test_other_clips_of_a_stage_are_actions(self):
        for stage, result in self.results['with_another_clip'].items():
            with self.subTest(stage):
                self.assertEqual(result['status'], ['FINISHED'])
                expected = self.baked(DYNAMIC, stage, {'with': [{'clip': 'Run'}]}, 'Walk')
                self.assert_near(stage, result['heads'], expected)
                self.assertTrue(result['is_other_kept'])

    def test_masks_name_materials_of_blender(self):
        moved = self.results['materials']
        print('largest displacements of skin and cloth [m]:', moved)
        skin, cloth = moved['']
        self.assertGreater(min(skin, cloth), 1e-3)
        self.assertLess(moved['skin'][0], 0.01 * skin)
        self.assertGreater(moved['skin'][1], 0.5 * cloth)
        self.assertLess(moved['cloth'][1], 0.01 * cloth)
        self.assertGreater(moved['cloth'][0], 0.5 * skin)

    def test_the_panel_has_every_setting_of_the_schema(self):
        wanted = set()
        properties = self.run_json('--schema')['properties']
        tables = {'input': properties['input']}
        for stage in properties['stage']['items']['oneOf']:
            tables[stage['properties']['type']['const']] = stage
        for name, table in tables.items():
            if name not in NOT_OFFERED:
                wanted |= keys_of(name, table, OWN.get(name, ()))
        shown = {(stage, where, key) for stage, where, key, *_ in self.results['settings']}
        self.assertEqual(shown, wanted)
        for key in (('tet-bake', '', 'drive'), ('tet-bake', 'mask', 'stiffness'),
                    ('stretch', '', 'feet'), ('stretch', '', 'add_steps')):
            self.assertIn(key, shown)
        print(f'{len(shown)} settings')

    def test_values_of_the_panel_are_those_of_the_recipe(self):
        for stage, where, key, kind, value, table, unset in self.results['settings']:
            with self.subTest(f'{stage} {where} {key}'):
                differ = {k for k in table if k not in unset or table[k] != unset[k]}
                self.assertEqual(differ, {key})
                self.assert_same(kind, table[key], value)

    def assert_same(self, kind, written, value):
        if kind == 'curve' and isinstance(written, list):
            written = [number for _, number in written]
        elif kind == 'curve':
            written = [written, written]
        elif kind == 'numbers':
            value = [float(part) for part in value.split(',')]
        elif kind == 'texts':
            value = [value]
        if kind in ('number', 'curve', 'vector'):
            pairs = zip(written, value) if kind != 'number' else [(written, value)]
            for a, b in pairs:
                self.assertTrue(math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6), (written, value))
        else:
            self.assertEqual(written, value)

    def test_the_program_takes_every_value(self):
        """Settings that need another one beside them are refused with its name."""
        taken, refused = 0, []
        for stage, where, key, _, _, table, _ in self.results['settings']:
            settings = {where: [table]} if where else table
            recipe = {'input': settings} if stage == 'input' else {
                'stage': [{'type': stage, **settings}]
            }
            self.file('recipe.json', json.dumps(recipe))
            process = self.run_clipmill(
                *('run', SKIN, '--recipe', 'recipe.json', '--dump-config'), exit_code=None
            )
            if process.returncode == 0:
                self.assertIn(f'{key} = ', process.stdout, (stage, where, key))
                taken += 1
            else:
                refused.append((stage, where, key, process.stderr.strip()[:160]))
        for line in refused:
            print('refused:', *line)
        self.assertGreater(taken, 0)


def keys_of(stage, table, own, where=''):
    """(stage, list, key) of a table of the schema."""
    found = set()
    for key, value in table['properties'].items():
        if key == 'type' and 'const' in value:
            continue
        if value.get('type') == 'array' and value['items'].get('type') == 'object':
            found |= keys_of(stage, value['items'], (), key)
        elif key not in own:
            found.add((stage, where, key))
    return found


if __name__ == '__main__':
    unittest.main(warnings='ignore')
