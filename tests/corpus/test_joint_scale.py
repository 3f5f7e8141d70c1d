# SPDX-License-Identifier: MIT
"""tet-bake of characters with scaled joints: the independent evaluator shows the same corrections,
scaled, and none beside those of the pose without scale."""
import struct
import unittest

import corpus
import glb
from clipmill_process import ProcessTest

CHARACTERS = (
    corpus.CORPUS / 'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb',
    corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb',
)
SCALES = {  # over 20 frames, from (1, 1, 1)
    'head': (1.4, 1.4, 1.4),
    'spine': (1.4, 1.4, 1.4),
    'squash': (1.3, 0.6, 1.3),
}
FRAMES = 21
FPS = 30.0
TOLERANCE_M = 0.5e-3


def with_scale(source, target, joint, scale):
    """The character at rest in one clip that scales a joint. False where there is none."""
    value, _, binary = glb.read(source)
    names = [n.get('name', '').lower() for n in value['nodes']]
    joints = {j for skin in value['skins'] for j in skin['joints']}
    found = [i for i in sorted(joints) if joint in names[i]]
    if not found:
        return False
    rest = value['nodes'][found[0]].get('scale', [1.0, 1.0, 1.0])
    times = [f / FPS for f in range(FRAMES)]
    keys = [
        [r * (1.0 + (s - 1.0) * f / (FRAMES - 1)) for r, s in zip(rest, scale)]
        for f in range(FRAMES)
    ]
    binary += b'\0' * (-len(binary) % 4)
    start = len(binary)
    binary += struct.pack('<%df' % FRAMES, *times)
    binary += b''.join(struct.pack('<3f', *key) for key in keys)
    views, accessors = value['bufferViews'], value['accessors']
    views.append({'buffer': 0, 'byteOffset': start, 'byteLength': 4 * FRAMES})
    views.append({'buffer': 0, 'byteOffset': start + 4 * FRAMES, 'byteLength': 12 * FRAMES})
    accessors.append(
        {
            'bufferView': len(views) - 2,
            'componentType': 5126,
            'count': FRAMES,
            'type': 'SCALAR',
            'min': [times[0]],
            'max': [times[-1]],
        }
    )
    accessors.append(
        {'bufferView': len(views) - 1, 'componentType': 5126, 'count': FRAMES, 'type': 'VEC3'}
    )
    value['animations'] = [
        {
            'name': 'Scale',
            'samplers': [{'input': len(accessors) - 2, 'output': len(accessors) - 1}],
            'channels': [{'sampler': 0, 'target': {'node': found[0], 'path': 'scale'}}],
        }
    ]
    value['buffers'][0]['byteLength'] = len(binary)
    target.write_bytes(glb.assemble(value, binary))
    return True


class ScaledJoints(ProcessTest):
    def test_baked_is_plain_skinning_scaled_the_same(self):
        import baked_skin
        import numpy

        done = 0
        for path in CHARACTERS:
            for name, scale in SCALES.items():
                joint = 'spine' if name == 'squash' else name
                source = self.folder / 'scaled.glb'
                if not with_scale(path, source, joint, scale):
                    continue
                self.run_clipmill('tet-bake', source, '-o', 'baked.glb', '-q')
                plain, baked = (
                    baked_skin.GltfSkin(p) for p in (source, self.folder / 'baked.glb')
                )
                times = numpy.arange(FRAMES) / FPS
                rest, before, _ = plain.posed('Scale', times)
                _, after, _ = baked.posed('Scale', times)
                moved = numpy.linalg.norm(after - before, axis=2).max(axis=1)
                scaled = numpy.linalg.norm(before[-1] - before[0], axis=1).max()
                print(
                    '%s, %s: skinning moves by up to %.0f mm; baked differs by %.2f mm without '
                    'scale, by up to %.2f mm with it'
                    % (path.name, name, 1e3 * scaled, 1e3 * moved[0], 1e3 * moved.max())
                )
                self.assertGreater(scaled, 0.01)
                # What the pose at rest is corrected by is scaled at most as the joint is.
                self.assertLess(moved.max(), max(scale) * moved[0] + TOLERANCE_M)
                done += 1
        self.assertGreaterEqual(done, 4)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
