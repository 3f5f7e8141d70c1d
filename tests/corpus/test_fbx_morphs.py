# SPDX-License-Identifier: MIT
"""Real FBX meshes get a morph target that lifts all vertices, its weight going from 0 to 1 over the
clip: where the vertices are afterwards, and what the file is made of."""
import unittest

import corpus
import fbx_tree
import joint_edit
from clipmill_process import ProcessTest

# With in-betweens, binary and text; and a skinned character without shapes.
SHAPED = [
    'maya_blend_inbetween_7500_binary.fbx',
    'maya_blend_inbetween_7500_ascii.fbx',
]
CHARACTER = 'maya_kenney_character_7700_binary.fbx'
NEW_TYPES = {'Deformer', 'Geometry', 'AnimationCurve', 'AnimationCurveNode'}


class FbxMorphs(ProcessTest):
    def lifted(self, source, output='out.fbx', name='Lift'):
        return joint_edit.edit(source, self.folder / output, **{'add-morph': name})

    def vertices(self, path, fps):
        """Positions of the first mesh as frames x vertices x 3."""
        import numpy

        poses = self.run_json('poses', path, '--vertices', '--fps', repr(fps), '--json')
        frames = [mesh['positions'] for mesh in poses['clips'][0]['skinned']]
        return numpy.array(frames).reshape(len(frames), -1, 3)

    # The node is still and not rotated in these files.
    def test_all_vertices_rise_with_the_weight(self):
        import numpy

        for name in SHAPED:
            with self.subTest(name):
                done = self.lifted(corpus.FBX / name)
                moved = self.vertices('out.fbx', done['fps']) - self.vertices(
                    corpus.FBX / name, done['fps']
                )
                self.assertEqual(len(moved), done['frames'])
                weights = numpy.linspace(0.0, 1.0, len(moved))
                expected = numpy.zeros_like(moved)
                expected[:, :, 1] = (done['lift'] * weights)[:, None]
                self.assertLess(float(abs(moved - expected).max()), 1e-6)

    # Skinned vertices are linear in the weights, whatever their joints do; and the second morph
    # comes to a mesh that has one.
    def test_two_morphs_move_skinned_vertices_twice_as_far_as_one(self):
        import numpy

        done = self.lifted(corpus.FBX / CHARACTER)
        self.lifted(self.folder / 'out.fbx', 'twice.fbx', 'Again')
        source, once, twice = (
            self.vertices(p, done['fps'])
            for p in (corpus.FBX / CHARACTER, 'out.fbx', 'twice.fbx')
        )
        height = float((source.max((0, 1)) - source.min((0, 1))).max())
        self.assertEqual(float(abs(once - source)[0].max()), 0.0)
        # The joints rotate the mesh and scale it by 100; a vertex with one joint keeps its full
        # distance.
        farthest = float(numpy.linalg.norm((once - source)[-1], axis=1).max())
        self.assertAlmostEqual(farthest / (100.0 * done['lift']), 1.0, delta=1e-5)
        off = abs((twice - source) - 2.0 * (once - source)) / height
        self.assertLess(float(off.max()), 1e-6)

    def test_the_file_gains_shapes_and_curves_and_keeps_everything_else(self):
        for name in SHAPED + [CHARACTER]:
            with self.subTest(name):
                self.lifted(corpus.FBX / name)
                source = fbx_tree.read(corpus.FBX / name)
                result = fbx_tree.read(self.folder / 'out.fbx')
                before, after = fbx_tree.objects(source), fbx_tree.objects(result)
                for id, element in before.items():
                    if not element.name.startswith('AnimationCurve'):
                        self.assertTrue(element.same(after[id]), element.values)
                new = [element for id, element in after.items() if id not in before]
                self.assertLessEqual({element.name for element in new}, NEW_TYPES)
                kinds = [e.values[2] for e in new if e.name in ('Deformer', 'Geometry')]
                had_one = any(e.values[2:] == ['BlendShape'] for e in before.values())
                expected = ['BlendShapeChannel', 'Shape'] + ['BlendShape'] * (not had_one)
                self.assertEqual(sorted(kinds), sorted(expected))
                counts = fbx_tree.type_counts(source), fbx_tree.type_counts(result)
                defined = fbx_tree.defined_counts(source), fbx_tree.defined_counts(result)
                for kind in NEW_TYPES:
                    change = counts[1].get(kind, 0) - counts[0].get(kind, 0)
                    defined_change = defined[1].get(kind, 0) - defined[0].get(kind, 0)
                    self.assertEqual(defined_change, change, kind)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
