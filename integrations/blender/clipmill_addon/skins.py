# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Meshes that an armature deforms, as arrays: one row a vertex of the mesh, in its order."""
import numpy as np

# Custom property of shape keys: names of those that a bake added, for the next one to replace.
BAKED = 'clipmill_baked'


class Part:
    """What has one material: `vertices` are rows of the mesh, to which `triangles` refer. The name
    of the material is empty where there is none."""

    def __init__(self, material, vertices, triangles):
        self.material, self.vertices, self.triangles = material, vertices, triangles


class Shape:
    """A shape key of an earlier bake: `displacements` (vertices, 3), and `values` at the frames of
    each clip by its name."""

    def __init__(self, name, displacements, values):
        self.name, self.displacements, self.values = name, displacements, values


class Skin:
    """Positions of a mesh in its own space; its parts; `bones`, indices of those that deform it;
    `joints` and `weights` (vertices, k). A joint is an index into `bones`, or their number for the
    mesh itself, where no bone moves a vertex. `file_from_mesh` is set by what writes it."""

    file_from_mesh = None

    def __init__(self, mesh_object, rig, shapes=()):
        mesh = mesh_object.data
        self.name, self.shapes = mesh_object.name, list(shapes)
        self.positions = np.empty((len(mesh.vertices), 3), 'f4')
        mesh.vertices.foreach_get('co', self.positions.ravel())
        self.parts = _parts(mesh_object)
        self.bones = rig.deforming
        names = [rig.names[b] for b in self.bones]
        self.joints, self.weights = _influences(mesh_object, names)
        self.follows_mesh = bool((self.joints == len(names)).any())


def _parts(mesh_object):
    mesh = mesh_object.data
    mesh.calc_loop_triangles()
    triangles = np.empty((len(mesh.loop_triangles), 3), 'u4')
    mesh.loop_triangles.foreach_get('vertices', triangles.ravel())
    slots = np.empty(len(triangles), 'i4')
    mesh.loop_triangles.foreach_get('material_index', slots)
    names = [slot.material.name if slot.material else '' for slot in mesh_object.material_slots]
    used = np.unique(slots)
    if len(used) < 2:  # all vertices, also those without a face
        name = names[used[0]] if len(used) and used[0] < len(names) else ''
        return [Part(name, np.arange(len(mesh.vertices)), triangles)]
    parts = []
    for slot in used:
        vertices, corners = np.unique(triangles[slots == slot], return_inverse=True)
        name = names[slot] if slot < len(names) else ''
        parts.append(Part(name, vertices, corners.reshape(-1, 3).astype('u4')))
    return parts


def _influences(mesh_object, names):
    index = {name: i for i, name in enumerate(names)}
    vertices, named = mesh_object.data.vertices, mesh_object.vertex_groups
    counts = np.array([len(vertex.groups) for vertex in vertices], 'i8')
    pairs = [(g.group, g.weight) for vertex in vertices for g in vertex.groups]
    groups, values = np.array(pairs, float).reshape(-1, 2).T
    # Objects that share a mesh may have fewer groups than its vertices name.
    joint_of_group = np.full(int(groups.max(initial=-1)) + len(named) + 1, -1)
    for group in named:
        joint_of_group[group.index] = index.get(group.name, -1)
    rows, joints = np.repeat(np.arange(len(vertices)), counts), joint_of_group[groups.astype('i8')]
    is_used = (joints >= 0) & (values > 0)
    return _table(len(vertices), len(names), rows[is_used], joints[is_used], values[is_used])


def _table(vertex_count, joint_count, rows, joints, values):
    """Joints and weights (vertices, k) of influences in order of their vertices: the largest first.
    A vertex without influences follows the joint `joint_count`."""
    free = np.setdiff1d(np.arange(vertex_count), rows)
    rows = np.concatenate([rows, free])
    joints = np.concatenate([joints, np.full(len(free), joint_count)])
    values = np.concatenate([values, np.ones(len(free))])
    order = np.lexsort((-values, rows))
    rows, joints, values = rows[order], joints[order], values[order]
    ranks = np.arange(len(rows)) - np.searchsorted(rows, rows)
    width = 4 * -(-max(int(ranks.max(initial=0)) + 1, 1) // 4)
    table, weights = np.zeros((vertex_count, width), 'u2'), np.zeros((vertex_count, width), 'f4')
    table[rows, ranks], weights[rows, ranks] = joints, values
    # Blender divides by the sum of the weights of bones.
    return table, weights / weights.sum(axis=1, keepdims=True)


def _is_deformed_by(mesh_object, armature):
    return mesh_object.type == 'MESH' and any(
        m.type == 'ARMATURE' and m.object == armature and m.show_viewport and m.use_vertex_groups
        for m in mesh_object.modifiers
    )


def meshes_of(scene, armature):
    """The objects of the scene that the armature deforms, by name."""
    objects = [o for o in scene.objects if _is_deformed_by(o, armature)]
    return sorted((o for o in objects if len(o.data.loops)), key=lambda o: o.name)


def differences(mesh_object):
    """Sentences about what Blender shows of a mesh and the engine does not see."""
    found = []
    for modifier in mesh_object.modifiers:
        if modifier.type == 'ARMATURE':
            if modifier.use_deform_preserve_volume:
                found.append(f'{mesh_object.name}: the engine skins without Preserve Volume')
            break
        if modifier.show_viewport:
            found.append(f'{mesh_object.name}: the engine does not see modifier {modifier.name}')
    keys = mesh_object.data.shape_keys
    baked = keys.get(BAKED, ()) if keys else ()
    blocks = [k for k in keys.key_blocks[1:] if k.name not in baked and not k.mute] if keys else []
    if any(block.value != 0.0 for block in blocks):
        found.append(f'{mesh_object.name}: the engine sees the basis of the shape keys')
    return found
