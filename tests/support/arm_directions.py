# SPDX-License-Identifier: MIT
"""How much of an arm is within the body where the upper arm alone points in a direction: what no
correction of elbow and hand changes."""
import numpy

import contact_measures as measures

TWISTS_DEG = (-60, -30, 0, 30, 60)  # about the upper arm


def product(a, b):
    """Of two quaternions, x y z w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + numpy.cross(a[:3], b[:3])
    return numpy.array([*vector, a[3] * b[3] - a[:3] @ b[:3]])


def rotation_about(axis, angle):
    return numpy.array([*(numpy.sin(angle / 2) * measures.unit(axis)), numpy.cos(angle / 2)])


class ArmDirections:
    """The upper arm of one side of a character that is else in its rest pose."""

    def __init__(self, character, side):
        self.character, self.side = character, side
        region = numpy.isin(character.regions, measures.BODY + ('head',))
        self.body = character.triangles[region[character.triangles].all(1)]
        self.rest = character.pose(None, 0.0)
        vertices = character.arm_vertices(side, True)
        vertices = vertices[~measures.do_penetrate(self.rest.skin, vertices, self.body)]
        self.arm_count = len(vertices)
        self.upper = vertices[character.regions[vertices] == side + 'UpperArm']

    def direction(self, down_deg, forward_deg):
        """At an angle from straight down, sideways, and from there forward."""
        down, forward = numpy.radians((down_deg, forward_deg))
        lateral, up, ahead = self.rest.axes
        if self.side == 'right':
            lateral = -lateral
        level = numpy.cos(forward) * lateral + numpy.sin(forward) * ahead
        return numpy.sin(down) * level - numpy.cos(down) * up

    def share_within(self, down_deg, forward_deg):
        """Percent of the vertices of the arm that are of the upper arm, beyond ARMPIT, and within
        the body: the least over the twists."""
        node = self.character.roles[self.side + 'UpperArm']
        parent = self.rest.worlds[self.character.gltf.parent[node]][:3, :3]
        to_parent = (parent / numpy.linalg.norm(parent, axis=0)).T
        own = numpy.array(self.character.gltf.nodes[node].get('rotation', (0, 0, 0, 1)), float)
        now = measures.unit(
            self.rest.joint(self.side + 'LowerArm') - self.rest.joint(self.side + 'UpperArm')
        )
        wanted = self.direction(down_deg, forward_deg)
        axis = numpy.cross(now, wanted)
        angle = numpy.arctan2(numpy.linalg.norm(axis), now @ wanted)
        if angle > 1e-9:
            own = product(rotation_about(to_parent @ axis, angle), own)
        shares = []
        for twist in TWISTS_DEG:
            q = product(rotation_about(to_parent @ wanted, numpy.radians(twist)), own)
            posed = measures.Posed(self.character, {node: {'rotation': q}})
            within = measures.do_penetrate(posed.skin, self.upper, self.body).sum()
            shares.append(100.0 * within / self.arm_count)
        return min(shares)
