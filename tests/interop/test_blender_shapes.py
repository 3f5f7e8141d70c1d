# SPDX-License-Identifier: MIT
"""Shape keys that Blender animates, one weighted point by point by a vertex group: the vertices of
its FBX file, and of the GLB made of it, are those that Blender shows."""
import json
import math
import pathlib
import subprocess
import unittest

from clipmill_process import ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
# Of a mesh 2 m wide; Blender computes with floats.
TOLERANCE_M = 1e-5


class BlenderShapes(ProcessTest):
    def worst(self, name, seen, first):
        # Blender's first frame is at 1 / 24 s; converted clips start at 0.
        times = ','.join(str((first + f) / seen['fps']) for f in range(len(seen['frames'])))
        flags = ('--vertices', '--times', times, '--space', 'metric', '--json')
        (clip,) = self.run_json('poses', name, *flags)['clips']
        worst = 0.0
        for mesh, expected in zip(clip['skinned'], seen['frames'], strict=True):
            numbers = mesh['positions']
            points = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]
            # glTF meshes have vertices in an order of their own.
            for point in expected:
                worst = max(worst, min(math.dist(point, other) for other in points))
        return worst

    def test_vertices_are_those_of_blender(self):
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio']
            + ['-P', HERE / 'blender_group_shapes.py', '--']
            + [self.folder / 'a.fbx', self.folder / 'seen.json'],
            capture_output=True, check=True, timeout=600,
        )
        seen = json.loads((self.folder / 'seen.json').read_text())
        moved = max(math.dist(a, b) for a, b in zip(seen['frames'][0], seen['frames'][10]))
        self.assertGreater(moved, 1.0)
        self.run_clipmill('convert', 'a.fbx', '-o', 'b.glb', '--keys', 'all', '-q')
        for name, first in (('a.fbx', 1), ('b.glb', 0)):
            worst = self.worst(name, seen, first)
            print(f'{name}: vertices differ by at most {worst:.2g} m')
            self.assertLess(worst, TOLERANCE_M)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
