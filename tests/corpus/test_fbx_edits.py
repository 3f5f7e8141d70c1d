# SPDX-License-Identifier: MIT
"""A joint of every real FBX clip is rotated, moved or scaled, and nothing else: what the file
stores afterwards, and what it is made of."""
import unittest

import corpus
import fbx_tree
import joint_edit
from clipmill_process import ProcessTest
from joint_edit import ANGLE, matrices, rotated, subtree_of

# Layers, pivots, rotation orders, constant curves, no curves, and both kinds of older files.
VARIED = [
    'maya_anim_layers_over_acc_orders_7500_binary.fbx',
    'maya_child_pivots_7700_ascii.fbx',
    'maya_null_pivots_7700_binary.fbx',
    'maya_null_pivots_6100_binary.fbx',
    'maya_rotation_order_7500_ascii.fbx',
    'maya_rotation_order_6100_ascii.fbx',
    'maya_game_sausage_7500_ascii_combined.fbx',
    'maya_game_sausage_7500_binary_spin.fbx',
    'synthetic_pre_post_rotate_7500_ascii.fbx',
    'max2009_blob_5800_binary.fbx',
    'max2009_blob_6100_ascii.fbx',
    'maya_kenney_character_7700_binary.fbx',
]
INHERITING = ['maya_mixed_inherit_mode_7700_ascii.fbx']
CURVES = ('AnimationCurve', 'AnimationCurveNode')


def plain_name(element):
    """The name of an object before version 7000, without its class."""
    return element.values[0].split('::')[-1].split('\0')[0]


def inherit_modes(path):
    """InheritType of every Model, by name."""
    modes = {}
    for element in fbx_tree.objects(fbx_tree.read(path)).values():
        if element.name == 'Model':
            block = element.first('Properties70')
            given = [p.values[4] for p in block.children if p.values[0] == 'InheritType']
            modes[element.values[1].split('::')[-1].split('\0')[0]] = (given + [1])[0]
    return modes


class FbxEdits(ProcessTest):
    def edit(self, source, output='out.fbx', **options):
        return joint_edit.edit(source, self.folder / output, **options)

    def frames(self, path, clip, fps):
        return self.run_json('poses', path, '--clip', clip, '--fps', repr(fps), '--json')

    def check_worlds(self, path, output, clip, done, expected_of):
        """Holds the worlds at all frames against expected_of(worlds of the source, joint, its
        parent or None, its subtree)."""
        source = self.frames(path, clip, done['fps'])
        result = self.frames(output, clip, done['fps'])
        self.assertEqual(result['nodes'], source['nodes'])
        nodes = source['nodes']
        joint = nodes.index(done['joint'])
        above = done['joint'].rpartition('/')[0]
        parent = nodes.index(above) if above in nodes else None
        subtree = subtree_of(nodes, done['joint'])
        before, after = (matrices(p['clips'][0]['world']) for p in (source, result))
        self.assertEqual(before.shape, after.shape)
        self.assertEqual(len(before), done['frames'])
        positions = before[:, :, :3, 3].reshape(-1, 3)
        extent = float((positions.max(0) - positions.min(0)).max())
        height = max(extent, 1.0 if len(nodes) == 1 else 1e-6)
        expected = expected_of(before.copy(), joint, parent, subtree)
        moved = abs(expected - before)
        self.assertGreater(float(moved.max()), 1e-2, 'an edit without effect tests nothing')
        size = abs(expected).max(axis=(2, 3), keepdims=True)[..., :1, :3]
        off = abs(expected - after)[..., :3, :]
        position_error = float((off[..., 3] / max(height, 1e-6)).max())
        map_error = float((off[..., :3] / size.clip(min=1.0)).max())
        self.assertLess(position_error, 1e-6)
        self.assertLess(map_error, 1e-6)
        outside = [n for n in range(len(nodes)) if n not in subtree]
        for a, b in zip(source['clips'][0]['world'], result['clips'][0]['world']):
            self.assertEqual([a[n] for n in outside], [b[n] for n in outside])
        return max(position_error, map_error)

    def check_other_clips(self, path, output, clip):
        source, result = (self.run_json('poses', p, '--json')['clips'] for p in (path, output))
        self.assertEqual(len(source), len(result))
        for n, (a, b) in enumerate(zip(source, result)):
            self.assertEqual((a['name'], a['start'], a['end']), (b['name'], b['start'], b['end']))
            if n != clip:
                self.assertEqual(a, b)

    def check_structure(self, path, output, clip, joint):
        source, result = fbx_tree.read(path), fbx_tree.read(self.folder / output)
        self.assertEqual([e.name for e in source.children], [e.name for e in result.children])
        free = ('Objects', 'Connections', 'Definitions') if source.version >= 7000 else ('Takes',)
        for a, b in zip(source.children, result.children):
            if a.name not in free:
                self.assertTrue(a.same(b), a.name)
        if source.version >= 7000:
            self.check_objects(source, result)
        else:
            self.check_takes(source, result, clip, joint)

    def check_objects(self, source, result):
        before, after = fbx_tree.objects(source), fbx_tree.objects(result)
        for id, element in before.items():
            if element.name not in CURVES:
                self.assertTrue(element.same(after[id]), element.values)
            elif id in after:
                self.assertTrue(element.same(after[id]), element.values)
        for id, element in after.items():
            if id not in before:
                self.assertIn(element.name, CURVES)
        kept = [id for id in before if id in after]
        self.assertEqual([id for id in after if id in before], kept)
        counts = fbx_tree.type_counts(source), fbx_tree.type_counts(result)
        for kind in counts[0]:
            if kind not in CURVES:
                self.assertEqual(counts[0][kind], counts[1][kind], kind)
        self.check_connections(source, result, before, after)
        defined = fbx_tree.defined_counts(source), fbx_tree.defined_counts(result)
        for kind in set(counts[0]) | set(counts[1]):
            change = counts[1][kind] - counts[0][kind]
            self.assertEqual(defined[1].get(kind, 0) - defined[0].get(kind, 0), change, kind)
        total = sum(counts[1].values()) - sum(counts[0].values())
        self.assertEqual(defined[1][''] - defined[0][''], total)

    def check_connections(self, source, result, before, after):
        old, new = fbx_tree.connections(source), fbx_tree.connections(result)
        for c in new:
            self.assertTrue(c in old or (c[1] in after and (c[2] in after or c[2] == 0)), c)
        removed = [c for c in old if c not in new]
        for c in removed:
            self.assertTrue(
                before[c[1]].name in CURVES or before[c[2]].name in CURVES, 'removed %s' % (c,)
            )
        kept = [c for c in old if c not in removed]
        self.assertEqual([c for c in new if c in old], kept)
        # Every curve node hangs in one layer and moves something, every curve is in use.
        used = {c[1] for c in new}
        for id, element in after.items():
            if id not in before:
                self.assertIn(id, used)
        for id, element in before.items():
            if element.name in CURVES and id in after:
                self.assertEqual(id in used, id in {c[1] for c in old}, element.values)

    def check_takes(self, source, result, clip, joint):
        takes = source.first('Takes'), result.first('Takes')
        self.assertEqual(len(takes[0].children), len(takes[1].children))
        count = -1
        for a, b in zip(takes[0].children, takes[1].children):
            count += a.name == 'Take'
            if a.name != 'Take' or count != clip:
                self.assertTrue(a.same(b), a.values)
                continue
            models = a.all('Model'), b.all('Model')
            name = joint.split('/')[-1]
            for x, y in zip(*models):
                self.assertEqual(x.values, y.values)
                if plain_name(x) != name:
                    self.assertTrue(x.same(y), x.values)
            # A Model that the take did not name before gets all its channels.
            new = models[1][len(models[0]) :]
            if name not in map(plain_name, models[0]):
                self.assertEqual([plain_name(x) for x in new], [name])
                channels = new[0].first('Channel').all('Channel')
                self.assertEqual([c.values for c in channels], [['T'], ['R'], ['S']])
                for channel in channels:
                    self.assertEqual(len(channel.all('Channel')), 3)
            else:
                self.assertEqual(new, [])

    def test_a_rotated_joint_and_nothing_else(self):
        worst, clips, kinds = 0.0, 0, set()
        for path in corpus.fbx_files():
            if 'mixed_inherit' in path.name:
                continue  # see below
            known = self.run_json('info', path, '--json')['clips']
            for clip in range(len(known)):
                with self.subTest(path.name, clip=clip):
                    done = self.edit(path, clip=clip, amount=ANGLE)
                    worst = max(
                        worst, self.check_worlds(path, 'out.fbx', clip, done, rotated)
                    )
                    self.check_other_clips(path, 'out.fbx', clip)
                    self.check_structure(path, 'out.fbx', clip, done['joint'])
                    clips += 1
                    kinds.add(path.name)
        print('%d clips of %d files, off by at most %.3g' % (clips, len(kinds), worst))
        self.assertGreaterEqual(clips, 60)
        self.assertGreaterEqual(len(kinds), 48)


    def moved(self, amount):
        def expected_of(before, joint, parent, subtree):
            for world in before:
                shift = world[parent][:3, 0] if parent is not None else (1.0, 0.0, 0.0)
                for n in subtree:
                    for axis in range(3):
                        world[n, axis, 3] += amount * shift[axis]
            return before

        return expected_of

    def scaled(self, amount):
        import numpy

        def expected_of(before, joint, parent, subtree):
            for world in before:
                scale = numpy.diag([amount] * 3 + [1.0])
                change = world[joint] @ scale @ numpy.linalg.inv(world[joint])
                for n in subtree:
                    world[n] = change @ world[n]
            return before

        return expected_of

    # Where a joint leaves out scales above it, worlds are no products of locals. But whatever
    # comes before the rotation, 180 degrees about x commute with every scale along the axes that
    # comes after them.
    def half_rotated_leaf(self, before, joint, parent, subtree):
        import numpy

        self.assertEqual(subtree, [joint])
        before[:, joint] = before[:, joint] @ numpy.diag([1.0, -1.0, -1.0, 1.0])
        return before

    def check(self, source, expected_of, clip=0, **options):
        done = self.edit(source, clip=clip, **options)
        error = self.check_worlds(source, 'out.fbx', clip, done, expected_of)
        self.check_other_clips(source, 'out.fbx', clip)
        self.check_structure(source, 'out.fbx', clip, done['joint'])
        return error

    def test_a_moved_joint(self):
        for name in VARIED + INHERITING:
            with self.subTest(name):
                self.check(corpus.FBX / name, self.moved(3.0), path='translation', amount=3.0)

    def test_a_scaled_joint(self):
        for name in VARIED:
            if 'sausage' in name:
                continue  # see the next test
            with self.subTest(name):
                self.check(corpus.FBX / name, self.scaled(1.5), path='scale', amount=1.5)

    # Joints below that leave out the scale of their parent are carried along, and keep their size.
    def test_a_scaled_joint_whose_children_compensate_for_it(self):
        def carried(before, joint, parent, subtree):
            whole = self.scaled(1.5)(before.copy(), joint, parent, subtree)
            child = subtree[1]
            self.assertGreater(len(subtree), 2)
            shift = whole[:, child, :, 3] - before[:, child, :, 3]
            before[:, joint] = whole[:, joint]
            for n in subtree[1:]:  # a chain
                before[:, n, :, 3] += shift
            return before

        for name in VARIED:
            if 'sausage' in name:
                modes = inherit_modes(corpus.FBX / name)
                self.assertEqual([modes[n] for n in ('joint2', 'joint3')], [2, 2])
                with self.subTest(name):
                    done = {'path': 'scale', 'amount': 1.5, 'joint': 'joint1'}
                    self.check(corpus.FBX / name, carried, **done)

    def test_joints_that_do_not_inherit_all_scales(self):
        for name in INHERITING:
            path = corpus.FBX / name
            poses = self.run_json('poses', path, '--json')['nodes']
            leaves = [n for n in poses if not any(m.startswith(n + '/') for m in poses)]
            modes = inherit_modes(path)
            for leaf in leaves:
                if '/' not in leaf or modes[leaf.split('/')[-1]] == 1:
                    continue
                with self.subTest(name, joint=leaf):
                    self.check(path, self.half_rotated_leaf, joint=leaf, amount=180.0)

    def test_every_joint_of_a_file_one_by_one(self):
        path = corpus.FBX / 'maya_child_pivots_7700_ascii.fbx'
        for joint in self.run_json('poses', path, '--json')['nodes']:
            with self.subTest(joint=joint):
                self.check(path, rotated, joint=joint, amount=ANGLE)

    def test_an_edited_file_can_be_edited_again(self):
        for name in VARIED:
            with self.subTest(name):
                self.edit(corpus.FBX / name, 'once.fbx', amount=ANGLE)
                self.check(self.folder / 'once.fbx', rotated, amount=ANGLE)
                # Nothing piles up: the curves of the first edit are gone.
                sizes = [(self.folder / f).stat().st_size for f in ('once.fbx', 'out.fbx')]
                self.assertLess(abs(sizes[1] - sizes[0]), 0.02 * sizes[0])


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
