# SPDX-License-Identifier: MIT
"""Positions of the models of an FBX 7 file along its clips, by numpy, independently of the program
under test. Models inherit scale as in glTF; keys are constant, linear, or cubic of given slopes."""
import struct

import numpy as np

import fbx_tree
import pose_evaluator

TICKS = 46186158000
CONSTANT, LINEAR, CUBIC = 2, 4, 8
USER = 0x400  # with or without the bit of broken tangents
THIRDS = struct.unpack('<f', struct.pack('<I', 0x0D050D05))[0]  # both weights of a plain cubic


class Curve:
    def __init__(self, element):
        def numbers(name):
            return np.atleast_1d(element.first(name).values[0])

        counts = numbers('KeyAttrRefCount').astype(int)
        self.times = numbers('KeyTime') / TICKS
        self.values = numbers('KeyValueFloat').astype(float)
        self.flags = np.repeat(numbers('KeyAttrFlags').astype(int), counts)
        self.data = np.repeat(numbers('KeyAttrDataFloat').reshape(-1, 4), counts, axis=0)

    def is_cubic(self):
        return bool((self.flags & CUBIC).any())

    def at(self, time):
        k = int(np.searchsorted(self.times, time, 'right')) - 1
        if k < 0 or k + 1 >= len(self.times):
            return self.values[np.clip(k, 0, len(self.times) - 1)]
        length = self.times[k + 1] - self.times[k]
        f, (a, b) = (time - self.times[k]) / length, self.values[k : k + 2]
        if self.flags[k] & CONSTANT:
            return a
        if self.flags[k] & LINEAR:
            return a + f * (b - a)
        assert self.flags[k] & CUBIC and self.flags[k] & USER, hex(self.flags[k])
        right, left, weights, _ = self.data[k]
        assert weights == np.float32(THIRDS), weights
        points = [a, a + length / 3 * right, b - length / 3 * left, b]
        while len(points) > 1:
            points = [(1 - f) * p + f * q for p, q in zip(points, points[1:])]
        return points[0]


class FbxPaths:
    """`clips` are {name of a stack: {(model, property): {axis: Curve}}}."""

    def __init__(self, path):
        root = fbx_tree.read(path)
        found = {o.values[0]: o for o in root.first('Objects').children if o.values}
        self.models = {i: o for i, o in found.items() if o.name == 'Model'}
        self.parents, self.clips = {}, {}
        links = [link.values for link in root.first('Connections').all('C')]
        stack_of_layer = {c: p for _, c, p, *_ in links if found[c].name == 'AnimationLayer'}
        stack_of_node, target = {}, {}
        for _, child, parent, *name in links:
            kind = found[child].name
            if kind == 'Model' and parent in self.models:
                self.parents[child] = parent
            elif kind == 'AnimationCurveNode' and name:
                target[child] = parent, name[0]
            elif kind == 'AnimationCurveNode':
                stack_of_node[child] = stack_of_layer[parent]
        for _, child, parent, *name in links:
            if found[child].name == 'AnimationCurve' and parent in target:
                clip = self.clips.setdefault(self.name(found[stack_of_node[parent]]), {})
                axes = clip.setdefault(target[parent], {})
                axes['XYZ'.index(name[0][-1])] = Curve(found[child])

    @staticmethod
    def name(element):
        return element.values[1].split('\0')[0]

    def curves(self):
        return [c for clip in self.clips.values() for axes in clip.values() for c in axes.values()]

    def positions(self, clip, time):
        """{model name: position in the units of the file}."""
        worlds = {}

        def world(model):
            if model not in worlds:
                rest = self.models[model].first('Properties70').children
                rest = {p.values[0]: list(map(float, p.values[4:])) for p in rest}
                assert rest['InheritType'] == [1.0]
                parts = []
                for part in ('Lcl Translation', 'Lcl Rotation', 'Lcl Scaling'):
                    value = list(rest[part])
                    for axis, curve in self.clips[clip].get((model, part), {}).items():
                        value[axis] = curve.at(time)
                    parts.append(value)
                local = pose_evaluator.fbx_local(rest, *parts)
                above = self.parents.get(model)
                worlds[model] = world(above) @ local if above else local
            return worlds[model]

        return {self.name(o): world(model)[:3, 3] for model, o in self.models.items()}
