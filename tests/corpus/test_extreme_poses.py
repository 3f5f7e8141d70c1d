# SPDX-License-Identifier: MIT
"""Limbs that bend by more than a right angle: the tissue stays about its bone, and penetrates less
than with plain skinning. The baked file is decoded by an independent evaluator."""
import sys
import unittest

import corpus
from clipmill_process import ROOT, ProcessTest

sys.path.insert(0, str(ROOT / 'scripts'))

# Clip, its bone and the end of it.
LIMBS = ('Elbow', 'LeftForeArm', 'LeftHand'), ('Knee', 'LeftLeg', 'LeftFoot')
# How much farther a limb may be from its bone than with plain skinning.
MAX_SHIFT_MM = 3.0
RINGS_M = (0.06, 0.08, 0.1)
HALF_RING_M = 0.012
FAR_M = (0.14, 0.2)
NEAR_M = 0.16
INSIDE_M = 0.003


def rigid_map(rest, posed):
    """The rotation and shift that bring `posed` nearest to `rest`."""
    import numpy as np

    u, _, v = np.linalg.svd((rest - rest.mean(0)).T @ (posed - posed.mean(0)))
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v
    return lambda points: (points - posed.mean(0)) @ rotation.T + rest.mean(0)


class ExtremePoses(ProcessTest):
    def test_bent_limbs_stay_about_their_bones_and_penetrate_less(self):
        import baked_skin
        import one_surface
        import tet_bake_sheet

        document = one_surface.build(tet_bake_sheet.CHARACTER)
        for clip, _, _ in LIMBS:
            tet_bake_sheet.add_clip(document, clip, tet_bake_sheet.POSES[clip])
        rig = document.rig()
        document.write(self.folder / 'plain.glb')
        self.run_clipmill('tet-bake', 'plain.glb', '-o', 'baked.glb', '-q')
        skins = [baked_skin.GltfSkin(self.folder / name) for name in ('plain.glb', 'baked.glb')]
        for clip, bone, end in LIMBS:
            with self.subTest(clip):
                poses = [skin.posed(clip, [0.0]) for skin in skins]
                shifts = [self.shift(rig, bone, end, pose) for pose in poses]
                inside = [self.inside(rig, bone, skins[0].triangles(), pose) for pose in poses]
                print(clip, 'shift of the limb [mm]', shifts, 'penetrating vertices', inside)
                # 9 and 8 mm more where nothing keeps the tissue about the bone.
                self.assertLess(shifts[1], shifts[0] + MAX_SHIFT_MM)
                self.assertLess(inside[1], inside[0])

    def shift(self, rig, bone, end, pose):
        """How far the centre of a ring of the limb is from where its bone has it [mm]."""
        import numpy as np

        rest, frames, names = pose
        rest, posed, names = np.array(rest), np.array(frames)[0], np.array(names)
        start = rig.positions[bone]
        axis = rig.positions[end] - start
        axis = axis / np.linalg.norm(axis)
        along = (rest - start) @ axis
        from_axis = np.linalg.norm(rest - start - along[:, None] * axis, axis=1)
        own = (from_axis < 0.09) & ((names == bone) | (names == rig.parents[bone]))
        far = own & (along > FAR_M[0]) & (along < FAR_M[1])
        back = rigid_map(rest[far], posed[far])
        rings = [own & (np.abs(along - at) < HALF_RING_M) for at in RINGS_M]
        shifts = [np.linalg.norm((back(posed[r]) - rest[r]).mean(0)) for r in rings]
        return round(1e3 * max(shifts), 1)

    def inside(self, rig, bone, triangles, pose):
        """The number of vertices near the joint that are INSIDE_M inside other skin: so far under
        them is their own body and the other one."""
        import baked_skin
        import numpy as np

        rest, frames, _ = pose
        positions = np.array(frames)[0]
        corners = positions[triangles]
        normals = np.zeros_like(positions)
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        for i in range(3):
            np.add.at(normals, triangles[:, i], faces)
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        near = np.linalg.norm(np.array(rest) - rig.positions[bone], axis=1) < NEAR_M
        points = positions[near] - INSIDE_M * normals[near]
        return int((baked_skin.winding(points, positions, triangles) > 1.5).sum())


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
