# SPDX-License-Identifier: MIT
"""In a sample of clips no window of half a second gets worse by self-collision: vertices of limbs
within other parts of the skin, which an independent evaluator poses (contact_measures.py). Other
clips have two windows that do: see docs/self-collision.md."""
import random
import unittest

import corpus
from clipmill_process import ProcessTest

BARBARIAN = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
WINDOW_S, MEASURED_FPS = 0.5, 10
CLIPS, SEED = 12, 21
# Of a limb, and of what it may be within. Thighs are always within each other near the crotch.
PAIRS = [
    *((s + 'Forearm', ('trunk', 'leftThigh', 'rightThigh', 'head')) for s in ('left', 'right')),
    *((s + 'Forearm', (o + 'Forearm', o + 'UpperArm')) for s, o in
      (('left', 'right'), ('right', 'left'))),
    *((s + 'Shin', (o + 'Thigh', o + 'Shin')) for s, o in (('left', 'right'), ('right', 'left'))),
]  # fmt: skip


class WindowCounts:
    """Of one file: penetrating vertices, in each window of a clip, a frame."""

    def __init__(self, path, roles):
        import contact_measures
        import numpy

        self.m, self.character = contact_measures, contact_measures.Character(path, roles)
        rest = self.character.pose(None, 0.0).skin
        self.pairs = []
        for limb, others in PAIRS:
            vertices = numpy.flatnonzero(self.character.regions == limb)
            within = numpy.isin(self.character.regions, others)
            body = self.character.triangles[within[self.character.triangles].all(1)]
            inside = self.m.do_penetrate(rest, vertices, body)
            self.pairs.append((vertices[~inside], body))

    def of(self, clip):
        import numpy

        start, end = self.character.gltf.clip_range(self.character.clips[clip])
        times = numpy.linspace(start, end, max(2, int((end - start) * MEASURED_FPS) + 1))
        counts = []
        for time in times:
            skin = self.character.pose(clip, time).skin
            counts.append(sum(self.m.do_penetrate(skin, v, b).sum() for v, b in self.pairs))
        windows = ((times - start) / WINDOW_S).astype(int)
        counts = numpy.array(counts)
        return [float(counts[windows == w].mean()) for w in numpy.unique(windows)]


class SelfCollisionWindows(ProcessTest):
    def test_no_window_has_more_vertices_of_limbs_within_the_skin(self):
        roles = self.run_json('info', BARBARIAN, '--json')['humanoid']['roles']
        self.run_clipmill('self-collision', BARBARIAN, '--keys', 'all', '-q', '-o', 'free.glb')
        before = WindowCounts(BARBARIAN, roles)
        after = WindowCounts(self.folder / 'free.glb', roles)
        clips = random.Random(SEED).sample(sorted(before.character.clips), CLIPS)
        windows = 0
        for clip in clips:
            for window, counts in enumerate(zip(before.of(clip), after.of(clip))):
                self.assertLessEqual(counts[1], counts[0] + 1e-9, (clip, window))
                windows += 1
        print(f'{windows} windows of {CLIPS} clips, none worse')


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
