# SPDX-License-Identifier: MIT
"""FBX files with one joint edited, opened by other readers: FBX2glTF, which carries the FBX SDK of
Autodesk, and Blender."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import corpus
import glb
import joint_edit
from clipmill_process import ProcessTest
from joint_edit import ANGLE, matrices, subtree_of

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
CONVERTER = MODULES / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
ROOT_NODE = 'RootNode/'
CHARACTER = 'maya_kenney_character_7700_binary.fbx'
SHAPED = 'maya_blend_inbetween_7500_binary.fbx'


def names(value):
    """What of a glTF file must not change where only keys do."""
    return {
        'nodes': [(n.get('name'), n.get('mesh'), n.get('skin')) for n in value.get('nodes', [])],
        'meshes': [
            (m.get('name'), [sorted(p['attributes']) for p in m['primitives']])
            for m in value.get('meshes', [])
        ],
        'materials': [m.get('name') for m in value.get('materials', [])],
        'images': [i.get('name') for i in value.get('images', [])],
        'joints': [s['joints'] for s in value.get('skins', [])],
        'clips': [a.get('name') for a in value.get('animations', [])],
    }


class FbxReaders(ProcessTest):
    def setUp(self):
        super().setUp()
        # npm leaves the program without the right to run.
        self.converter = self.folder / 'FBX2glTF'
        shutil.copy(CONVERTER, self.converter)
        self.converter.chmod(0o755)

    def convert(self, path, name, fps):
        target = self.folder / name
        process = subprocess.run(
            [self.converter, '-i', path, '-o', target, '--binary']
            + ['--anim-framerate', 'bake%d' % round(fps)],
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return target.with_suffix('.glb')

    def by_path(self, path, *arguments):
        """(nodes, clips) of the metric poses of a file."""
        poses = self.run_json('poses', path, *arguments, '--space', 'metric', '--json')
        nodes = [n[n.startswith(ROOT_NODE) and len(ROOT_NODE) :] for n in poses['nodes']]
        return nodes, poses['clips']

    # FBX2glTF writes positions in metres and leaves the unit out of the scales; its clips start at
    # zero, frame by frame from the first one, and those without curves are not written.
    def worlds(self, fbx, converted, name, clip, done, height=None):
        """(nodes, matrices of clipmill, matrices of the SDK, height): positions in parts of the
        height, axes of unit length."""
        import numpy

        times = ','.join('%.9f' % (k / done['fps']) for k in range(done['frames']))
        nodes, ours = self.by_path(fbx, '--clip', clip, '--fps', repr(done['fps']))
        their_nodes, theirs = self.by_path(converted, '--times', times)
        theirs = [c for c in theirs if c['name'] == name or not c['name']][:1]
        # Not every Model is converted.
        both = [n for n in nodes if n in their_nodes]
        maps = [
            matrices(side['world'])[:, [names.index(n) for n in both]]
            for names, side in ((nodes, ours[0]), (their_nodes, theirs[0]))
        ]
        if len(maps[1]) == 1:
            maps[1] = numpy.repeat(maps[1], len(maps[0]), axis=0)
        positions = maps[0][:, :, :3, 3].reshape(-1, 3)
        height = height or max(float((positions.max(0) - positions.min(0)).max()), 1e-2)
        for m in maps:
            m[:, :, :3, 3] /= height
            m[:, :, :3, :3] /= numpy.linalg.norm(m[:, :, :3, :3], axis=2, keepdims=True)
        return both, maps[0], maps[1], height

    # The SDK and we do not agree on every node of every source: it rotates the files of 3ds Max to
    # another axis, and glTF cannot store scales that are not inherited. Where we agree on the
    # source, we must on the edit; everywhere else what was not edited must not have changed.
    def test_the_fbx_sdk_sees_the_joint_edited_and_nothing_else(self):
        files, judged, worst = 0, 0, 0.0
        for path in corpus.fbx_files():
            clips = self.run_json('info', path, '--json')['clips']
            if not clips:
                continue
            with self.subTest(path.name):
                clip = len(clips) - 1
                edited = self.folder / 'out.fbx'
                done = joint_edit.edit(path, edited, clip=clip, amount=ANGLE)
                if round(done['fps']) not in (24, 30, 60):
                    continue
                source = self.convert(path, 'source', done['fps'])
                result = self.convert(edited, 'result', done['fps'])
                a, b = (names(glb.read(p)[0]) for p in (source, result))
                # Clips without any curve are not converted; the edit gives this one some.
                known = a.pop('clips')
                name = clips[clip]['name']
                self.assertEqual(b.pop('clips'), known if name in known else known + [name])
                self.assertEqual(a, b)
                nodes, ours, theirs, height = self.worlds(path, source, name, clip, done)
                _, our_edit, their_edit, _ = self.worlds(edited, result, name, clip, done, height)
                below = subtree_of(nodes, done['joint'])
                rest = [n for n in range(len(nodes)) if n not in below]
                agreed = abs(ours - theirs).max(axis=(0, 2, 3)) < 1e-5
                if rest:
                    gap = abs(their_edit[:, rest] - theirs[:, rest])
                    self.assertLess(float(gap.max()), 1e-5)
                off = abs(our_edit - their_edit)[:, agreed]
                if agreed.any():
                    worst = max(worst, float(off.max()))
                    self.assertLess(float(off.max()), 1e-5)
                files += 1
                judged += bool(agreed[below[0]])
        print('%d files, edited joint judged in %d, off by %.2g' % (files, judged, worst))
        self.assertGreaterEqual(files, 50)
        self.assertGreaterEqual(judged, 42)

    def in_blender(self, path, script='blender_edited_fbx.py'):
        target = self.folder / (path.name + '.json')
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / script]
            + ['--', path, target],
            capture_output=True,
            check=True,
            timeout=600,
        )
        return json.loads(target.read_text()) if target.is_file() else None

    def test_blender_sees_the_joint_edited_and_nothing_else(self):
        seen = moved = 0
        for path in corpus.fbx_files():
            data = path.read_bytes()[:27]
            if data[:7] != b'Kaydara' or int.from_bytes(data[23:27], 'little') < 7100:
                continue
            source = self.in_blender(path)
            if source is None or len(source['actions']) != 1:
                continue  # not for Blender, or no bones that move
            with self.subTest(path.name):
                done = joint_edit.edit(path, self.folder / 'out.fbx', amount=ANGLE)
                result = self.in_blender(self.folder / 'out.fbx')
                for part in source:
                    if part != 'actions':
                        self.assertEqual(source[part], result[part], part)
                moved += self.check_heads(path, source, result, done)
                seen += 1
        print('%d files in Blender, bones moved in %d' % (seen, moved))
        self.assertGreaterEqual(seen, 7)
        self.assertGreaterEqual(moved, 4)

    def check_heads(self, path, source, result, done):
        (action,) = source['actions']
        a, b = source['actions'][action], result['actions'][action]
        first = max(a['first'], b['first'])
        count = min(len(x['frames']) - (first - x['first']) for x in (a, b))
        times = ','.join('%.9f' % ((first + k) / source['fps']) for k in range(count))
        nodes, clips = self.by_path(self.folder / 'out.fbx', '--clip', 0, '--times', times)
        _, old = self.by_path(path, '--clip', 0, '--times', times)
        after, before = matrices(clips[0]['world']), matrices(old[0]['world'])
        moved = {nodes[n].split('/')[-1] for n in subtree_of(nodes, done['joint'])[1:]}
        positions = before[:, :, :3, 3].reshape(-1, 3)
        height = float((positions.max(0) - positions.min(0)).max())
        off_source = off_result = off_rest = largest_move = expected_move = 0.0
        for k in range(count):
            was, now = (x['frames'][first - x['first'] + k] for x in (a, b))
            for n, node in enumerate(nodes):
                bone = node.split('/')[-1]
                if bone not in was:
                    continue
                gap = lambda p, q: max(abs(x - y) for x, y in zip(p, q)) / height
                off_source = max(off_source, gap(was[bone], before[k, n, :3, 3]))
                off_result = max(off_result, gap(now[bone], after[k, n, :3, 3]))
                if bone in moved:
                    largest_move = max(largest_move, gap(was[bone], now[bone]))
                    known = gap(before[k, n, :3, 3], after[k, n, :3, 3])
                    expected_move = max(expected_move, known)
                else:
                    off_rest = max(off_rest, gap(was[bone], now[bone]))
        print(
            '%s: %d frames, Blender and we: source %.2g edited %.2g; rest %.2g; moved %.2g'
            % (path.name, count, off_source, off_result, off_rest, largest_move)
        )
        self.assertGreater(count, 3)
        self.assertLess(off_rest, 1e-4)
        self.assertLess(off_result, 1.5 * off_source + 1e-4)
        if expected_move > 1e-3 and off_source < 1e-4:  # Blender knows no offset pivots, for one
            self.assertAlmostEqual(largest_move, expected_move, delta=0.1 * expected_move)
        return largest_move > 1e-3

    # -- Added morphs

    def morphed(self, path, *arguments):
        """Metric positions of the first mesh as frames x vertices x 3."""
        import numpy

        _, (clip,) = self.by_path(path, '--vertices', '--max-vertices', 9999, *arguments)
        return numpy.array([m['positions'] for m in clip['skinned']]).reshape(
            len(clip['skinned']), -1, 3
        )

    def test_the_fbx_sdk_sees_an_added_morph(self):
        import numpy

        path, edited = corpus.FBX / CHARACTER, self.folder / 'out.fbx'
        done = joint_edit.edit(path, edited, **{'add-morph': 'Lift'})
        converted = self.convert(edited, 'result', done['fps'])
        meshes = glb.read(converted)[0]['meshes']
        self.assertEqual([len(p['targets']) for m in meshes for p in m['primitives']], [1])
        times = ','.join('%.9f' % (k / done['fps']) for k in range(done['frames']))
        ours = self.morphed(edited, '--fps', repr(done['fps']))
        theirs = self.morphed(converted, '--times', times)
        self.assertEqual((len(ours), len(theirs)), (done['frames'],) * 2)
        before = self.morphed(path, '--fps', repr(done['fps']))
        self.assertGreater(float(abs(ours - before)[-1].max()), 0.1)
        # The converter cuts vertices apart where their corners differ.
        off = 0.0
        for a, b in zip(ours, theirs):
            gaps = numpy.linalg.norm(a[:, None] - b[None], axis=2)
            off = max(off, float(gaps.min(0).max()), float(gaps.min(1).max()))
        print('%s: an added morph, off by %.2g m' % (CHARACTER, off))
        self.assertLess(off, 2e-5)

    # The SDK's converter misplaces in-betweens, also of the source; but it adds the new shape.
    def test_the_fbx_sdk_adds_the_new_morph_to_those_that_were_there(self):
        import numpy

        path, edited = corpus.FBX / SHAPED, self.folder / 'out.fbx'
        done = joint_edit.edit(path, edited, **{'add-morph': 'Lift'})
        times = ','.join('%.9f' % (k / done['fps']) for k in range(done['frames']))
        source, result = (
            self.morphed(self.convert(p, n, done['fps']), '--times', times)
            for p, n in ((path, 'source'), (edited, 'result'))
        )
        expected = numpy.zeros_like(result)
        rise = 0.01 * done['lift'] * numpy.linspace(0.0, 1.0, done['frames'])  # centimetres
        expected[:, :, 1] = rise[:, None]
        self.assertLess(float(abs(result - source - expected).max()), 1e-7)

    def test_blender_sees_an_added_morph(self):
        import numpy

        edited = self.folder / 'out.fbx'
        done = joint_edit.edit(corpus.FBX / CHARACTER, edited, **{'add-morph': 'Lift'})
        (seen,) = self.in_blender(edited, 'blender_shape_keys.py').values()
        self.assertEqual(seen['names'], ['Lift'])
        self.assertEqual((seen['first'], len(seen['frames'])), (0, done['frames']))
        weights = numpy.linspace(0.0, 1.0, done['frames'])
        self.assertLess(float(abs(numpy.array(seen['weights'])[:, 0] - weights).max()), 1e-6)
        off = abs(numpy.array(seen['frames']) - self.morphed(edited, '--fps', repr(done['fps'])))
        print('%s: an added morph in Blender, off by %.2g m' % (CHARACTER, float(off.max())))
        self.assertLess(float(off.max()), 1e-4)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
