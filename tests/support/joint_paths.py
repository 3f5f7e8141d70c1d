# SPDX-License-Identifier: MIT
"""Paths of joints by numpy, independently of the program under test, for all times at once. glTF
keys are decoded by the corpus' own evaluator."""
import corpus


def slerp(a, b, share):
    import numpy as np

    dot = np.sum(a * b, axis=1, keepdims=True)
    b, dot = np.where(dot < 0, -b, b), np.abs(dot)
    angle = np.arccos(np.minimum(dot, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    wide = (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / safe
    return np.where(near, a + (b - a) * share, wide)


def matrices(translation, rotation, scale):
    """N x 4 x 4 of N translations, quaternions x, y, z, w and scales."""
    import numpy as np

    x, y, z, w = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result = np.zeros((len(translation), 4, 4))
    result[:, :3, :3] = np.array(rows).transpose(2, 0, 1) * scale[:, None, :]
    result[:, :3, 3] = translation
    result[:, 3, 3] = 1.0
    return result


class GltfPaths:
    """The nodes of a glTF file along its clips."""

    def __init__(self, path):
        self.file = corpus.evaluator().Gltf(str(path))
        self.names = [node.get('name', f'#{i}') for i, node in enumerate(self.file.nodes)]
        self.clips = [a.get('name', '') for a in self.file.json.get('animations', [])]

    def span(self, clip):
        """(start, end) of a clip, in seconds."""
        return self.file.clip_range(self.file.json['animations'][self.clips.index(clip)])

    def _sampled(self, sampler, is_rotation, times):
        import numpy as np

        keys = self.file.accessor(sampler['input'])[:, 0].astype(float)
        values = np.array(self.file.accessor(sampler['output']), float)
        mode = sampler.get('interpolation', 'LINEAR')
        values = values.reshape(len(keys), 3 if mode == 'CUBICSPLINE' else 1, -1)
        if len(keys) == 1:
            return np.repeat(values[:, values.shape[1] // 2], len(times), axis=0)
        at = np.clip(np.searchsorted(keys, times, 'right') - 1, 0, len(keys) - 2)
        length = (keys[at + 1] - keys[at])[:, None]
        share = np.clip((times - keys[at])[:, None] / length, 0.0, 1.0)
        if mode == 'STEP':
            return np.where(share >= 1.0, values[at + 1, 0], values[at, 0])
        if mode == 'CUBICSPLINE':
            t, t2, t3 = share, share**2, share**3
            ends = (2 * t3 - 3 * t2 + 1) * values[at, 1] + (3 * t2 - 2 * t3) * values[at + 1, 1]
            slopes = (t3 - 2 * t2 + t) * values[at, 2] + (t3 - t2) * values[at + 1, 0]
            return ends + length * slopes
        a, b = values[at, 0], values[at + 1, 0]
        return slerp(a, b, share) if is_rotation else a + (b - a) * share

    def worlds(self, clip, times, nodes=None):
        """{node index: N x 4 x 4} of the nodes (all, if not given) and of those above them."""
        import numpy as np

        times = np.asarray(times, float)
        animation = self.file.json['animations'][self.clips.index(clip)]
        keyed = {}
        for channel in animation['channels']:
            target, sampler = channel['target'], animation['samplers'][channel['sampler']]
            keyed[target.get('node'), target.get('path')] = sampler
        result = {}

        def part(node, path, default):
            if (node, path) in keyed:
                return self._sampled(keyed[node, path], path == 'rotation', times)
            value = np.array(self.file.nodes[node].get(path, default), float)
            return np.tile(value, (len(times), 1))

        def world(node):
            if node not in result:
                if 'matrix' in self.file.nodes[node]:
                    fixed = np.array(self.file.nodes[node]['matrix'], float).reshape(4, 4).T
                    local = np.tile(fixed, (len(times), 1, 1))
                else:
                    local = matrices(
                        part(node, 'translation', (0, 0, 0)),
                        part(node, 'rotation', (0, 0, 0, 1)),
                        part(node, 'scale', (1, 1, 1)),
                    )
                parent = self.file.parent[node]
                result[node] = local if parent < 0 else world(parent) @ local
            return result[node]

        for node in range(len(self.names)) if nodes is None else nodes:
            world(node)
        return result

    def positions(self, clip, times, names):
        """{name: N x 3} of the named nodes."""
        indices = [self.names.index(name) for name in names]
        worlds = self.worlds(clip, times, indices)
        return {name: worlds[i][:, :3, 3] for name, i in zip(names, indices)}
