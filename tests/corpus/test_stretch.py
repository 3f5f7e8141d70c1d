# SPDX-License-Identifier: MIT
"""Real clips that travel end twice as far, in GLB and in FBX, read back by an independent evaluator
(the FBX as a GLB of it)."""
import math
import unittest

import corpus
from clipmill_process import ProcessTest
from test_bvh import JUMP

DASH = corpus.CORPUS / 'gltf' / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'


class StretchReal(ProcessTest):
    def ends(self, path, clip, node):
        """Where the node is at the start and at the end of a clip of a GLB, by the evaluator."""
        module = corpus.evaluator()
        file = module.Gltf(str(path))
        clips = self.run_json('info', path, '--json')['clips']
        index = [c['name'] for c in clips].index(clip)
        times = [clips[index]['start_s'], clips[index]['end_s']]
        poses = module.evaluate(file, clip=str(index), times=times)
        at = [path.split('/')[-1] for path in poses['nodes']].index(node)
        return [world[at][3::4] for world in poses['clips'][0]['world']]

    def check_twice_as_far(self, source, clip, node):
        self.run_clipmill('convert', source, '-o', 'source.fbx', '-q')
        self.run_clipmill('convert', source, '-o', 'source.glb', '-q')
        start, end = self.ends(self.folder / 'source.glb', clip, node)
        path = [end[0] - start[0], end[2] - start[2]]
        net = math.hypot(*path)
        self.assertGreater(net, 0.2)
        for form in ('glb', 'fbx'):
            with self.subTest(clip=clip, form=form):
                arguments = ['stretch', 'source.' + form, '--clip', clip, '-o', 'far.' + form]
                self.run_clipmill(*arguments, '--distance', repr(2 * net), '-q')
                if form == 'fbx':
                    self.run_clipmill('convert', 'far.fbx', '-o', 'far.glb', '-q')
                first, last = self.ends(self.folder / 'far.glb', clip, node)
                goal = [first[0] + 2 * path[0], first[2] + 2 * path[1]]
                error = math.dist([last[0], last[2]], goal)
                print('%s in %s: %.4f m, off by %.2g m' % (clip, form, 2 * net, error))
                self.assertLess(math.dist(first, start), 1e-4)
                self.assertLess(error, 1e-4)

    def test_a_dash_ends_twice_as_far(self):
        self.check_twice_as_far(DASH, 'dash', 'pelvis')

    def test_a_motion_capture_ends_twice_as_far(self):
        self.check_twice_as_far(JUMP, 'jumping', 'Hips')


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main()
