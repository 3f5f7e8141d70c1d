# SPDX-License-Identifier: MIT
"""What conversions carry beside poses: from GLB to FBX and back all of it is as it was."""
import carried_scene
import glb
from clipmill_process import ProcessTest


class Carried(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('a.glb', carried_scene.scene())
        first = self.run_clipmill('convert', 'a.glb', '-o', 'b.fbx')
        second = self.run_clipmill('convert', 'b.fbx', '-o', 'c.glb')
        self.messages = first.stderr + second.stderr

    def test_nothing_is_dropped(self):
        self.assertEqual(self.messages, 'b.fbx: written\nc.glb: written\n')

    def test_all_sets_of_vertices(self):
        found = carried_scene.sets_of(self.folder / 'c.glb')
        self.assertEqual(sorted(found), sorted(carried_scene.SETS))
        for name in carried_scene.SETS:
            # Colours go through sRGB and back.
            self.assertLess(carried_scene.largest_difference(found[name], name), 1e-6, name)

    def test_custom_properties_and_visibility(self):
        value, _, _ = glb.read(self.folder / 'c.glb')
        nodes = {node['name']: node for node in value['nodes']}
        self.assertEqual(nodes['Top']['extras'], carried_scene.EXTRAS)
        self.assertNotIn('extras', nodes['Cloth'])
        self.assertEqual(
            nodes['Ghost']['extensions'], {'KHR_node_visibility': {'visible': False}}
        )
        self.assertNotIn('extensions', nodes['Cloth'])
        self.assertEqual(value['extensionsUsed'], ['KHR_lights_punctual', 'KHR_node_visibility'])

    def test_an_edit_in_place_leaves_them(self):
        data = (self.folder / 'b.fbx').read_bytes()
        self.run_clipmill('convert', 'b.fbx', '-o', 'same.fbx')
        self.assertEqual((self.folder / 'same.fbx').read_bytes(), data)


if __name__ == '__main__':
    import unittest

    unittest.main()
