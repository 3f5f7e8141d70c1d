# SPDX-License-Identifier: MIT
"""Cycles in real files: every one whose seam is below its own frame step is found."""
import json
import re
import unittest

import corpus
from clipmill_process import ProcessTest

GLTF = corpus.CORPUS / 'gltf'
# A file, and a joint at the end of a limb: all others belong to the body.
FILES = (
    (GLTF / 'KayKit-Game-Assets__Barbarian.glb', 'toes.l'),
    (GLTF / 'bevyengine__Fox.glb', 'b_Tail03_014'),
    (GLTF / 'godotengine__player.glb', None),
    (GLTF / 'raysan5__greenman.glb', None),
    (GLTF / 'raysan5__robot.glb', None),
    (GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb', None),
)
LOCOMOTION = re.compile('walk|run|idle|strafe', re.IGNORECASE)
NO_LOCOMOTION = re.compile('_to_|walkjump', re.IGNORECASE)
ONCE = re.compile(
    'jump_(full|start|land)|_jump$|death|hit|dodge|throw|punch|kick', re.IGNORECASE
)


def fitted(numpy, a, b):
    """Positions `a`, moved over the ground and rotated about y to fit `b` best."""
    ground = [0, 2]
    p, q = a[:, ground], b[:, ground]
    p, centre = p - p.mean(0), q.mean(0)
    q = q - centre
    angle = numpy.arctan2((p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0]).sum(), (p * q).sum())
    c, s = numpy.cos(angle), numpy.sin(angle)
    result = a.copy()
    result[:, ground] = p @ numpy.array([[c, s], [-s, c]]) + centre
    return result


class Cycles(ProcessTest):
    def decisions(self, path, joint):
        """{clip: whether it is a cycle} for a chain at `joint`, and the evaluator's file."""
        file = corpus.evaluator().Gltf(str(path))
        joints = sorted({j for skin in file.json['skins'] for j in skin['joints']})
        leaves = [j for j in joints if not any(file.parent[k] == j for k in joints)]
        name = joint or file.nodes[leaves[-1]]['name']
        self.run_clipmill(
            *('dynamic-bones', path, '--chain', name, '-o', 'out.glb', '--report', 'r.json')
        )
        clips = json.loads((self.folder / 'r.json').read_text())['clips']
        found = {}
        for clip in clips:
            stage = clip['stages'][0]
            found[clip['clip']] = bool(stage['metrics']['after'].get('loop'))
        return found, file, joints

    def seam_in_steps(self, file, joints, animation, fps=30.0):
        """Distance of the last pose from the first one, over the median step of a frame."""
        import numpy

        start, end = file.clip_range(animation)
        count = max(3, round((end - start) * fps))
        poses = []
        for time in numpy.linspace(start, end, count + 1):
            worlds = file.worlds(file.sample(animation, time))
            poses.append(numpy.array([worlds[j][:3, 3] for j in joints]))

        def distance(a, b):
            return numpy.linalg.norm(fitted(numpy, a, b) - b, axis=1).max()

        steps = [distance(a, b) for a, b in zip(poses, poses[1:])]
        return distance(poses[-1], poses[0]) / max(numpy.median(steps), 1e-9)

    def test_every_locomotion_clip_with_a_small_seam_is_a_cycle(self):
        checked = 0
        for path, joint in FILES:
            found, file, joints = self.decisions(path, joint)
            for animation in file.json['animations']:
                name = animation['name']
                if not LOCOMOTION.search(name) or NO_LOCOMOTION.search(name):
                    continue
                seam = self.seam_in_steps(file, joints, animation)
                with self.subTest(f'{path.name}: {name}', seam=seam):
                    if seam < 1.0:
                        self.assertTrue(found[name])
                        checked += 1
                    elif seam > 3.0:
                        self.assertFalse(found[name])
        self.assertGreater(checked, 24)

    def test_motions_that_are_played_once_are_no_cycles(self):
        checked = 0
        for path, joint in FILES:
            for name, is_cycle in self.decisions(path, joint)[0].items():
                if not ONCE.search(name):
                    continue
                with self.subTest(f'{path.name}: {name}'):
                    self.assertFalse(is_cycle)
                    checked += 1
        self.assertGreater(checked, 20)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main()
