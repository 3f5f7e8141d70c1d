# SPDX-License-Identifier: MIT
"""Contacts of a character's arms, and what became of them on another character: by points all over
the skins that an independent evaluator poses, and locations along and around bones."""
import numpy

import corpus

REGION_ROLES = {
    'trunk': ('hips', 'spine', 'chest', 'upperChest', 'leftShoulder', 'rightShoulder'),
    'head': ('neck', 'head', 'jaw', 'leftEye', 'rightEye'),
    **{side + 'UpperArm': (side + 'UpperArm',) for side in ('left', 'right')},
    **{side + 'Forearm': (side + 'LowerArm', side + 'Hand') for side in ('left', 'right')},
    **{side + 'Thigh': (side + 'UpperLeg',) for side in ('left', 'right')},
    **{s + 'Shin': (s + 'LowerLeg', s + 'Foot', s + 'Toes') for s in ('left', 'right')},
}  # fmt: skip
# From the bone of the first role to that of the next; the head goes on along the trunk.
BONES = {
    'trunk': ('hips', 'head'), 'head': ('hips', 'head'),
    **{s + 'UpperArm': (s + 'UpperArm', s + 'LowerArm') for s in ('left', 'right')},
    **{s + 'Forearm': (s + 'LowerArm', s + 'Hand') for s in ('left', 'right')},
    **{s + 'Thigh': (s + 'UpperLeg', s + 'LowerLeg') for s in ('left', 'right')},
    **{s + 'Shin': (s + 'LowerLeg', s + 'Foot') for s in ('left', 'right')},
}  # fmt: skip
BODY = ('trunk', 'leftThigh', 'rightThigh')
NEAR, SLOW, LASTS_S = 0.02, 0.1, 0.15  # of a height, a height a second
SPACING = 0.015  # of a height, between points of the skin
MAX_POINTS = 1200  # of a region
ARMPIT = 0.4  # of an upper arm, where it is always within the trunk
CHUNK = 400
HAND = 0.9  # of a forearm: what is beyond it is the hand
RESTING = 0.01  # of a height: so near a hand rests on something
HANGING = 0.8  # cosine of the direction of both bones of an arm, and straight down
HOLDING = 0.4  # of a height, between wrists


def unit(v):
    return v / max(1e-12, float(numpy.linalg.norm(v)))


def nearest(points, others):
    """Distance of each point to the nearest of the others, and which that is."""
    distance, index = numpy.empty(len(points)), numpy.empty(len(points), int)
    squares = (others**2).sum(1)
    for first in range(0, len(points), CHUNK):
        part = points[first : first + CHUNK]
        table = (part**2).sum(1)[:, None] + squares - 2.0 * part @ others.T
        found = table.argmin(1)
        index[first : first + CHUNK] = found
        distance[first : first + CHUNK] = numpy.linalg.norm(part - others[found], axis=1)
    return distance, index


def winding_numbers(points, triangles):
    """Of all triangles (T x 3 x 3) about each point, by their solid angles."""
    winding = numpy.zeros(len(points))
    for first in range(0, len(points), 64):
        part = points[first : first + 64, None]
        a, b, c = (triangles[None, :, k] - part for k in range(3))
        la, lb, lc = (numpy.sqrt((v * v).sum(2)) for v in (a, b, c))
        sine = (a * numpy.cross(b, c)).sum(2)
        cosine = la * lb * lc + (a * b).sum(2) * lc + (b * c).sum(2) * la + (c * a).sum(2) * lb
        winding[first : first + 64] = numpy.arctan2(sine, cosine).sum(1) / (2 * numpy.pi)
    return winding


class Character:
    """The skin of a glTF file, sorted into regions. `roles`: node of each humanoid role."""

    def __init__(self, path, roles):
        self.gltf = corpus.evaluator().Gltf(str(path))
        self.roles = self.with_ends(roles)
        self.clips = {a.get('name', ''): a for a in self.gltf.json.get('animations', [])}
        region_of_node = self.regions_of_nodes()
        triangles, regions, self.skinned, offset = [], [], [], 0
        for node in self.gltf.nodes:
            if 'mesh' not in node:
                continue
            for primitive in self.gltf.json['meshes'][node['mesh']]['primitives']:
                count = len(self.gltf.accessor(primitive['attributes']['POSITION']))
                self.skinned.append('skin' in node)
                if 'skin' not in node:
                    continue
                joints = self.gltf.json['skins'][node['skin']]['joints']
                strongest = self.strongest(primitive['attributes'])
                regions += [region_of_node[joints[j]] for j in strongest]
                indices = self.gltf.accessor(primitive['indices']).astype(int).reshape(-1, 3)
                triangles.append(indices + offset)
                offset += count
        self.triangles = numpy.concatenate(triangles)
        self.regions = numpy.array(regions)
        rest = self.skin({})
        self.up_extent = numpy.ptp(rest[self.regions != ''], axis=0)
        self.height = float(self.up_extent[1])
        self.put_points(rest)

    def with_ends(self, roles):
        """Roles, with what is below a forearm that has no hand."""
        found = dict(roles)
        for side in ('left', 'right'):
            below = self.gltf.nodes[roles[side + 'LowerArm']].get('children', [])
            if side + 'Hand' not in found and below:
                found[side + 'Hand'] = below[0]
        return found

    def regions_of_nodes(self):
        role_regions = {r: name for name, roles in REGION_ROLES.items() for r in roles}
        own = {node: role_regions.get(role, '') for role, node in self.roles.items()}

        def region(node):
            while node >= 0 and node not in own:
                node = self.gltf.parent[node]
            return own.get(node, '')

        fingers = {
            n: s + 'Forearm'
            for s in ('left', 'right')
            for r, n in self.roles.items()
            if r.startswith(s)
            and any(f in r for f in ('Thumb', 'Index', 'Middle', 'Ring', 'Little'))
        }
        own.update(fingers)
        return [region(n) for n in range(len(self.gltf.nodes))]

    def strongest(self, attributes):
        joints = self.gltf.accessor(attributes['JOINTS_0']).astype(int)
        weights = self.gltf.accessor(attributes['WEIGHTS_0'])
        return joints[numpy.arange(len(joints)), weights.argmax(1)]

    def skin(self, pose):
        parts = self.gltf.vertices(pose, self.gltf.worlds(pose))
        return numpy.concatenate([p for (_, _, p), has in zip(parts, self.skinned) if has])

    def put_points(self, rest):
        """Points all over the triangles of each region, as corners and their shares."""
        self.points = {}
        for region in REGION_ROLES:
            own = self.triangles[(self.regions[self.triangles] == region).all(1)]
            corners, shares = [], []
            for triangle in own:
                a, b, c = rest[triangle]
                edge = max(numpy.linalg.norm(p - q) for p, q in ((a, b), (b, c), (c, a)))
                n = min(12, max(1, int(numpy.ceil(edge / (SPACING * self.height)))))
                for i in range(n + 1):
                    for j in range(n + 1 - i):
                        corners.append(triangle)
                        shares.append((i / n, j / n, (n - i - j) / n))
            if corners:
                found = numpy.array(corners), numpy.array(shares)
                _, first = numpy.unique(
                    numpy.round((rest[found[0]] * found[1][..., None]).sum(1) / self.height, 4),
                    axis=0, return_index=True,
                )  # fmt: skip
                first = first[:: 1 + len(first) // MAX_POINTS]
                self.points[region] = found[0][first], found[1][first]

    def pose(self, clip, time):
        return Posed(self, self.gltf.sample(self.clips[clip], time) if clip is not None else {})

    def arm_vertices(self, side, with_upper):
        names = [side + 'Forearm'] + ([side + 'UpperArm'] if with_upper else [])
        vertices = numpy.flatnonzero(numpy.isin(self.regions, names))
        if not with_upper:
            return vertices
        rest = self.pose(None, 0.0)
        along = rest.along(side + 'UpperArm', rest.skin[vertices])
        return vertices[(self.regions[vertices] == side + 'Forearm') | (along > ARMPIT)]


class Posed:
    """A character in one pose of one clip."""

    def __init__(self, character, pose):
        self.character = character
        self.local = pose
        self.worlds = character.gltf.worlds(pose)
        self.skin = character.skin(pose)
        roles = character.roles
        up = unit(self.joint('head') - self.joint('hips'))
        lateral = self.joint('leftUpperLeg') - self.joint('rightUpperLeg')
        lateral = unit(lateral - up * (lateral @ up))
        self.axes = numpy.array([lateral, up, numpy.cross(lateral, up)])
        self.hands = {s: self.joint(s + 'Hand' if s + 'Hand' in roles else s + 'LowerArm')
                      for s in ('left', 'right')}  # fmt: skip

    def joint(self, role):
        return self.worlds[self.character.roles[role]][:3, 3]

    def bone(self, region):
        first, second = (self.joint(role) for role in BONES[region])
        return first, second - first

    def along(self, region, points):
        first, bone = self.bone(region)
        return (points - first) @ bone / max(1e-12, bone @ bone)

    def cloud(self, regions):
        """Points of the regions: positions, and for each its region and number there."""
        found, of = [], []
        for region in regions:
            if region not in self.character.points:
                continue
            corners, shares = self.character.points[region]
            found.append((self.skin[corners] * shares[..., None]).sum(1))
            of += [(region, i) for i in range(len(corners))]
        return (numpy.concatenate(found) if found else numpy.empty((0, 3))), of

    def at(self, region, number):
        corners, shares = self.character.points[region]
        return shares[number] @ self.skin[corners[number]]

    def locate(self, region, point):
        """Along the bone of the region, and the direction away from it in the axes of the body."""
        first, bone = self.bone(region)
        along = self.along(region, point)
        ends = self.extent(region)
        if along > 1.0 and ends[1] > 1.0:
            along = 1.0 + (along - 1.0) / (ends[1] - 1.0)
        away = point - first - bone * self.along(region, point)
        return along, self.axes @ unit(away)

    def extent(self, region):
        if not hasattr(self, '_extent'):
            self._extent = {}
        if region not in self._extent:
            along = self.along(region, self.cloud([region])[0])
            self._extent[region] = (along.min(), along.max())
        return self._extent[region]

    def find(self, region, along, away):
        """The point of a region that is at a location, the outermost of equal ones."""
        points, _ = self.cloud([region])
        first, bone = self.bone(region)
        here = self.along(region, points)
        rays = points - first - here[:, None] * bone
        radius = numpy.linalg.norm(rays, axis=1)
        ends = self.extent(region)
        if ends[1] > 1.0:
            here = numpy.where(here > 1.0, 1.0 + (here - 1.0) / (ends[1] - 1.0), here)
        length = numpy.linalg.norm(bone)
        cosine = (rays / numpy.maximum(radius, 1e-12)[:, None]) @ self.axes.T @ away
        angle = numpy.arccos(numpy.clip(cosine, -1.0, 1.0))
        miss = ((here - along) * length) ** 2 + (angle * radius.mean()) ** 2
        return int((miss - 0.02 * radius**2).argmin())


class Contact:
    """One moment of a contact of the source: where the parts are in contact, on both."""

    def __init__(self, pair, time, limb, other, gap):
        self.pair, self.time = pair, time
        self.limb, self.other = limb, other  # (region, along, away)
        self.gap = gap  # in heights


def pairs():
    for side, across in (('left', 'right'), ('right', 'left')):
        yield side, BODY
        yield side, ('head',)
        if side == 'left':
            yield side, (across + 'Forearm', across + 'UpperArm')


def find_contacts(character, clip, times):
    """The contacts of the arms of a clip with the trunk, the thighs, the head, and each other."""
    poses = [character.pose(clip, t) for t in times]
    step = times[1] - times[0] if len(times) > 1 else 1.0
    found = []
    for side, others in pairs():
        own, seen, paths = [], [], []
        for pose in poses:
            limb, names = pose.cloud([side + 'Forearm'])
            other, other_names = pose.cloud(others)
            if not len(limb) or not len(other):
                return []
            distance, index = nearest(limb, other)
            near = distance < 1.5 * NEAR * character.height
            region = numpy.isin(character.regions, others)
            body = character.triangles[region[character.triangles].all(1)]
            box = pose.skin[body].reshape(-1, 3)
            may = ((limb > box.min(0)) & (limb < box.max(0))).all(1)
            within = numpy.zeros(len(limb), bool)
            candidates = numpy.flatnonzero(may)[:: max(1, may.sum() // 60)]
            within[candidates] = winding_numbers(limb[candidates], pose.skin[body]) > 0.5
            signed = numpy.where(within, -distance, distance)
            k = int(signed.argmin())
            seen.append((signed[k], names[k], other_names[index[k]], limb[k], other[index[k]]))
            frame = pose.hands[others[0][:5] if 'Forearm' in others[0] else side]
            origin = pose.joint('head' if others == ('head',) else 'hips')
            if 'Forearm' in others[0]:
                origin = pose.hands['right']
                frame = pose.hands['left']
            paths.append(pose.axes @ (frame - origin))
            own.append(near.any() or within.any())
        speed = numpy.linalg.norm(numpy.gradient(numpy.array(paths), step, axis=0), axis=1)
        signed = numpy.array([s[0] for s in seen])
        is_in = (signed < NEAR * character.height) & (speed < SLOW * character.height)
        for run in runs(is_in):
            if (len(run) - 1) * step < LASTS_S:
                continue
            for i in run:
                gap, limb_at, other_at, limb, other = seen[i]
                found.append(
                    Contact(
                        side + ' arm - ' + others[0], times[i],
                        (limb_at[0], *poses[i].locate(limb_at[0], limb)),
                        (other_at[0], *poses[i].locate(other_at[0], other)),
                        max(0.0, gap) / character.height,
                    )
                )  # fmt: skip
    return found


def hand_points(character, side):
    rest = character.pose(None, 0.0)
    points, _ = rest.cloud([side + 'Forearm'])
    return numpy.flatnonzero(rest.along(side + 'Forearm', points) > HAND)


def is_hanging(pose, side):
    if side + 'Hand' not in pose.character.roles:
        return False
    joints = [pose.joint(side + role) for role in ('UpperArm', 'LowerArm', 'Hand')]
    return all(-pose.axes[1] @ unit(b - a) > HANGING for a, b in zip(joints, joints[1:]))


def find_intended(character, clip, times, holding=()):
    """Contacts of hands that rest on trunk, thighs, head or the other arm, of arms that do not
    hang, apart from times at which both hold one thing. The point of the other part is where the
    hand is about its bone."""
    poses = [character.pose(clip, t) for t in times]
    step = times[1] - times[0] if len(times) > 1 else 1.0
    height, found = character.height, []
    hands = {side: hand_points(character, side) for side in ('left', 'right')}
    for side, across in (('left', 'right'), ('right', 'left')):
        if not len(hands[side]):
            continue
        for others in (BODY, ('head',), (across + 'Forearm', across + 'UpperArm')):
            seen, paths, near = [], [], []
            region = numpy.isin(character.regions, others)
            body = character.triangles[region[character.triangles].all(1)]
            for pose in poses:
                limb = pose.cloud([side + 'Forearm'])[0][hands[side]]
                other, names = pose.cloud(others)
                distance, index = nearest(limb, other)
                box = pose.skin[body].reshape(-1, 3)
                may = numpy.flatnonzero(((limb > box.min(0)) & (limb < box.max(0))).all(1))
                may = may[:: 1 + len(may) // 60]
                inside = numpy.zeros(len(limb), bool)
                inside[may] = winding_numbers(limb[may], pose.skin[body]) > 0.5
                signed = numpy.where(inside, -distance, distance)
                k = int(signed.argmin())
                seen.append((signed[k], hands[side][k], names[index[k]][0], limb[k]))
                origin = pose.joint('head' if others == ('head',) else 'hips')
                origin = pose.hands[across] if 'Forearm' in others[0] else origin
                paths.append(pose.axes @ (pose.hands[side] - origin))
                near.append(signed[k] < RESTING * height and not is_hanging(pose, side))
            near = numpy.array(near) & ~numpy.isin(times, holding)
            path = numpy.gradient(numpy.array(paths), step, axis=0)
            slow = numpy.linalg.norm(path, axis=1) < SLOW * height
            for run in runs(near & slow):
                if (len(run) - 1) * step < LASTS_S:
                    continue
                for i in run:
                    signed, number, other, at = seen[i]
                    limb = (side + 'Forearm', *poses[i].locate(side + 'Forearm', at))
                    other = (other, *poses[i].locate(other, at))
                    name = side + ' hand - ' + others[0]
                    gap = max(0.0, signed) / height
                    found.append(Contact(name, times[i], limb, other, gap))
    return found


def palms(pose):
    """From the right hand to the left one, in heights along the axes of the body."""
    left, right = (
        pose.cloud([side + 'Forearm'])[0][hand_points(pose.character, side)].mean(0)
        for side in ('left', 'right')
    )
    return pose.axes @ (left - right) / pose.character.height


def holding_times(character, clip, times):
    """When both hands hold one thing, in a clip of which that is known."""
    poses = [character.pose(clip, t) for t in times]
    apart = numpy.array([p.axes @ (p.hands['left'] - p.hands['right']) for p in poses])
    speed = numpy.linalg.norm(numpy.gradient(apart, times[1] - times[0], axis=0), axis=1)
    is_near = numpy.linalg.norm(apart, axis=1) < HOLDING * character.height
    return times[is_near & (speed < SLOW * character.height)]


def holding_errors(source, own, times, target, clip, offset):
    """By how much the vector between both hands differs from that of the source, in percent of the
    height."""
    return numpy.array([
        100.0 * numpy.linalg.norm(palms(source.pose(own, t)) - palms(target.pose(clip, t + offset)))
        for t in times
    ])  # fmt: skip


def runs(marks):
    edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], marks.astype(int), [0]])))
    return [range(a, b) for a, b in zip(edges[::2], edges[1::2])]


def find_locations(contacts, plain, clip):
    """Points of a target for each contact: its parts' corresponding locations in the plain copy."""
    poses, locations = {}, []
    for contact in contacts:
        pose = poses.setdefault(contact.time, None) or plain.pose(clip, contact.time)
        poses[contact.time] = pose
        ends = []
        for region, along, away in (contact.limb, contact.other):
            ends.append((region, pose.find(region, along, away)))
        locations.append((contact, *ends))
    return locations


def contact_errors(locations, target, clip):
    """Of each contact, in percent of the height: distance of the corresponding locations beyond the
    gap of the source."""
    poses, errors = {}, []
    for contact, limb, other in locations:
        pose = poses.get(contact.time) or target.pose(clip, contact.time)
        poses[contact.time] = pose
        distance = numpy.linalg.norm(pose.at(*limb) - pose.at(*other)) / target.height
        errors.append(100.0 * max(0.0, distance - contact.gap))
    return numpy.array(errors)


def penetrating_shares(target, clip, times, depth=0.0):
    """Percent of arm vertices within the trunk, thighs and head: forearms with hands, and with
    upper arms. Those that are within at rest do not count."""
    region = numpy.isin(target.regions, BODY + ('head',))
    body = target.triangles[region[target.triangles].all(1)]
    shares = []
    for with_upper in (False, True):
        within = total = 0
        for side in ('left', 'right'):
            vertices = target.arm_vertices(side, with_upper)
            if not len(vertices):
                continue
            rest = target.pose(None, 0.0).skin
            vertices = vertices[~do_penetrate(rest, vertices, body)]
            for time in times:
                skin = target.pose(clip, time).skin
                marks = do_penetrate(skin, vertices, body)
                within += int(marks.sum())
                total += len(vertices)
        shares.append(100.0 * within / max(1, total))
    return shares


def do_penetrate(skin, vertices, body):
    points, corners = skin[vertices], skin[body]
    low, high = corners.reshape(-1, 3).min(0), corners.reshape(-1, 3).max(0)
    may = ((points > low) & (points < high)).all(1)
    within = numpy.zeros(len(points), bool)
    if may.any():
        within[may] = winding_numbers(points[may], corners) > 0.5
    return within


def rotations(character, clip, times, roles):
    """Local rotations of joints, roles x times x 4."""
    found = {r: [] for r in roles}
    for time in times:
        pose = character.gltf.sample(character.clips[clip], time)
        for role in roles:
            node = character.roles[role]
            rest = character.gltf.nodes[node].get('rotation', (0, 0, 0, 1))
            q = numpy.asarray(pose.get(node, {}).get('rotation', rest), float)
            if found[role] and found[role][-1] @ q < 0:
                q = -q
            found[role].append(unit(q))
    return {r: numpy.array(q) for r, q in found.items()}


def angles_between(a, b):
    return numpy.degrees(2.0 * numpy.arccos(numpy.clip(abs((a * b).sum(1)), 0.0, 1.0)))


def jerk(rotation):
    return float(numpy.sqrt((numpy.diff(rotation, 3, axis=0) ** 2).sum(1).mean()))
