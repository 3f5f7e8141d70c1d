# SPDX-License-Identifier: MIT
"""The stage tet-bake as a process: tetrahedra from files, dynamic tissue, textures, integers."""
import itertools
import json
import math
import re
import struct
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
WALK = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
QUICK = ('--clip', 'ElbowBend', '--fps', 6, '-q')
COARSE = (*QUICK, '--max-tets', 4000)
CELL = 0.04
NOTE = (
    r'tet-bake: at most (\d+) morph targets of at most ([\d.]+) MB in a GLB'
    r'(?:, about ([\d.]+) MB if each moves the skin of one joint)?'
)


def positions_of(path):
    """All vertices of the mesh, one primitive after another."""
    value, _, binary = glb.read(path)
    return [
        row
        for primitive in value['meshes'][0]['primitives']
        for row in glb.rows(value, binary, primitive['attributes']['POSITION'])
    ]


def tetgen_about(positions, scale=1.0):
    """Six tetrahedra in each of the cubes at and about the positions, as .node and .ele."""
    cubes = {
        tuple(math.floor(c / CELL) + d for c, d in zip(position, offset))
        for position in positions
        for offset in itertools.product((-1, 0, 1), repeat=3)
    }
    corners, tets = {}, []
    for cube in sorted(cubes):
        for order in itertools.permutations(range(3)):
            at, tet = list(cube), []
            tet.append(corners.setdefault(tuple(at), len(corners)))
            for axis in order:
                at[axis] += 1
                tet.append(corners.setdefault(tuple(at), len(corners)))
            tets.append(tet)
    nodes = ['%d 3 0 0' % len(corners)]
    nodes += [
        '%d %.9g %.9g %.9g' % (i, *(scale * CELL * c for c in corner))
        for corner, i in corners.items()
    ]
    elements = ['%d 4 0' % len(tets)]
    elements += ['%d %d %d %d %d' % (i, *tet) for i, tet in enumerate(tets)]
    return '\n'.join(nodes) + '\n', '\n'.join(elements) + '\n', len(tets)


def read_exr(path):
    """(width, height, {channel: rows of numbers}) of an uncompressed file of halves."""
    data = path.read_bytes()
    assert struct.unpack_from('<II', data) == (20000630, 2), path
    at, attributes = 8, {}

    def text():
        nonlocal at
        end = data.index(b'\0', at)
        word, at = data[at:end].decode(), end + 1
        return word

    while data[at]:
        name, kind = text(), text()
        (size,) = struct.unpack_from('<I', data, at)
        attributes[name] = (kind, data[at + 4 : at + 4 + size])
        at += 4 + size
    at += 1
    assert attributes['compression'] == ('compression', b'\0')
    channels, rest = [], attributes['channels'][1]
    while rest[0]:
        name, rest = rest.split(b'\0', 1)
        assert struct.unpack_from('<I', rest) == (1,)
        channels.append(name.decode())
        rest = rest[16:]
    assert channels == sorted(channels)
    x0, y0, x1, y1 = struct.unpack('<4i', attributes['dataWindow'][1])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    rows = {channel: [] for channel in channels}
    for y, offset in enumerate(struct.unpack_from('<%dQ' % height, data, at)):
        assert struct.unpack_from('<iI', data, offset) == (y, width * 2 * len(channels))
        for c, channel in enumerate(channels):
            rows[channel].append(
                struct.unpack_from('<%de' % width, data, offset + 8 + 2 * width * c)
            )
    return width, height, rows


class TetBake(ProcessTest):
    def bake(self, output, *arguments, source=SAMPLE):
        """Metrics of the first clip after, and the whole report."""
        report = self.folder / 'report.json'
        self.run_clipmill('tet-bake', source, '-o', output, '--report', report, *arguments)
        value = json.loads(report.read_text())
        metrics = value['clips'][0]['stages'][0]['metrics']
        return metrics['after'], value

    def write_tets(self, scale=1.0):
        nodes, elements, count = tetgen_about(positions_of(SAMPLE), scale)
        self.file('body.node', nodes)
        self.file('body.ele', elements)
        return count

    def test_tetrahedra_of_tetgen_replace_the_lattice(self):
        count = self.write_tets()
        metrics, report = self.bake('out.glb', *QUICK, '--tets', 'body.ele')
        self.assertEqual(metrics['tets'], count)
        self.assertGreater(metrics['morphs'], 0)
        self.assertEqual([f['path'] for f in report['files']], ['body.ele', 'body.node'])
        stage = report['clips'][0]['stages'][0]
        warnings = {w['code']: w['count'] for w in stage['warnings']}
        # Every other one of the six in a cube is inverted.
        self.assertEqual(warnings['tets_reoriented'], count // 2)
        self.assertNotIn('vertices_outside_tets', warnings)
        # Cubes of air and body join the arms with the trunk. The volume that shoulders lose by it
        # is filled, so that none has to keep plain skinning.
        self.assertNotIn('worse_than_skinning', warnings)
        self.assertGreaterEqual(
            metrics['min_limb_volume_percent'], metrics['dual_quaternion_min_limb_volume_percent']
        )
        self.assertEqual(metrics['max_glued_pairs'], 0)
        before = stage['metrics']['before']['skin_error_rms_mm']
        self.assertLess(metrics['skin_error_rms_mm'], 0.5 * before)

    def test_tetrahedra_that_do_not_fit_are_refused(self):
        self.write_tets(scale=100)
        process = self.run_clipmill(
            'tet-bake', SAMPLE, '-o', 'out.glb', '--tets', 'body.node', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'body.ele', '100 times', 'tets_scale = 0.01')
        (self.folder / 'body.ele').unlink()
        process = self.run_clipmill(
            'tet-bake', SAMPLE, '-o', 'out.glb', '--tets', 'body.node', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'body.ele')
        self.assertNotIn('out.glb', self.files())

    def test_a_region_of_dynamic_tissue_has_its_own_softness(self):
        walk = ('--clip', 'WalkForward', '-q', '--max-tets', 4000, '--soft-tissue', 'dynamic')
        firm, _ = self.bake('out.glb', *walk, '--jiggle', 0, source=WALK)
        region = ('--region', 'joint=*Leg;jiggle=1')
        legs, _ = self.bake('out.glb', *walk, '--jiggle', 0, *region, source=WALK)
        swing = 'soft_tissue_swing_rms_mm'
        self.assertGreater(legs[swing], 2 * firm[swing])

    def test_dynamic_tissue_swings_more_where_it_is_softer(self):
        walk = ('--clip', 'WalkForward', '-q', '--max-tets', 4000, '--soft-tissue', 'dynamic')
        soft, _ = self.bake('out.glb', *walk, '--jiggle', 1, source=WALK)
        firm, _ = self.bake('out.glb', *walk, '--jiggle', 0, source=WALK)
        self.assertGreater(soft['soft_tissue_swing_max_mm'], 1)
        self.assertLess(soft['soft_tissue_swing_max_mm'], 30)  # millimetres, even at jiggle 1
        self.assertLess(firm['soft_tissue_swing_rms_mm'], 0.2 * soft['soft_tissue_swing_rms_mm'])
        # The walk is a cycle.
        self.assertEqual(soft['loop'], 1)
        self.assertGreaterEqual(soft['soft_tissue_passes'], 2)
        self.assertLessEqual(soft['soft_tissue_loop_gap_mm'], 0.5)
        once, _ = self.bake('out.glb', *walk, '--loop', 'off', source=WALK)
        self.assertEqual((once['loop'], once['soft_tissue_passes']), (0, 1))
        process = self.run_clipmill(
            *('tet-bake', SAMPLE, '-o', 'out.glb', '--soft-tissue', 'dynamic', '--method', 'xpbd'),
            exit_code=2,
        )
        self.assertOneSentence(process.stderr, 'neo_hookean')

    def test_textures_hold_the_positions_of_the_caches(self):
        metrics, _ = self.bake('out.glb', *COARSE, '--bake-to', 'vat')
        self.bake('out.glb', *COARSE, '--bake-to', 'pc2')
        layout = json.loads((self.folder / 'out_ElbowBend_Body.vat.json').read_text())
        rest = positions_of(SAMPLE)
        self.assertEqual(layout['vertices'], len(rest))
        self.assertEqual(sum(p['vertices'] for p in layout['primitives']), len(rest))
        width, height, rows = read_exr(self.folder / 'out_ElbowBend_Body.positions.exr')
        self.assertEqual((width, height), (layout['width'], layout['height']))
        cache = (self.folder / 'out_ElbowBend_Body.pc2').read_bytes()
        normals = read_exr(self.folder / 'out_ElbowBend_Body.normals.exr')[2]
        worst = 0.0
        for frame in range(layout['frames']):
            for vertex in range(len(rest)):
                x, y = vertex % width, frame * layout['rows_per_frame'] + vertex // width
                position = [rest[vertex][c] + rows['RGB'[c]][y][x] for c in range(3)]
                wanted = struct.unpack_from('<3f', cache, 32 + 12 * (frame * len(rest) + vertex))
                worst = max(worst, math.dist(position, wanted))
                self.assertAlmostEqual(
                    math.hypot(*(normals[c][y][x] for c in 'RGB')), 1, delta=2e-3
                )
        self.assertLess(1000 * worst, metrics['vat_rounding_max_mm'] + 1e-3)
        self.assertLess(metrics['vat_rounding_max_mm'], 0.6)
        low, high = layout['positions']['min'], layout['positions']['max']
        for c, channel in enumerate('RGB'):
            self.assertAlmostEqual(min(map(min, rows[channel][: layout['height']])), low[c], 9)
            self.assertAlmostEqual(max(map(max, rows[channel])), high[c], 9)

    def last_skin(self, name):
        """What the morphs add to each vertex at the last key; the type of the weights' numbers."""
        value, _, binary = glb.read(self.folder / name)
        mesh, clip = value['meshes'][0], value['animations'][0]
        channel = next(c for c in clip['channels'] if c['target']['path'] == 'weights')
        sampler = clip['samplers'][channel['sampler']]
        output = value['accessors'][sampler['output']]
        keys = glb.rows(value, binary, sampler['output'])
        count = len(mesh['primitives'][0]['targets'])
        last = [w for (w,) in keys[-count:]]
        sums = []
        for primitive in mesh['primitives']:
            total = None
            for weight, target in zip(last, primitive['targets']):
                rows = glb.rows(value, binary, target['POSITION'])
                total = total or [[0.0] * 3 for _ in rows]
                for position, row in zip(total, rows):
                    for c in range(3):
                        position[c] += weight * row[c]
            sums += total
        return sums, output['componentType']

    def test_preset_engine_stores_weights_as_bytes_and_moves_the_skin_alike(self):
        engine = (*COARSE, '--preset', 'engine')
        self.bake('bytes.glb', *engine, '--max-morphs', 9)
        self.bake('floats.glb', *engine, '--max-morphs', 8, '--weights', 'signed')
        (rounded, integer), (skin, number) = map(self.last_skin, ('bytes.glb', 'floats.glb'))
        self.assertEqual((integer, number), (5121, 5126))
        self.assertGreater(max(math.hypot(*d) for d in skin), 0.005)
        self.assertLess(max(map(math.dist, rounded, skin)), 3e-4)

    def test_the_size_of_the_targets_is_printed_before_the_bake(self):
        for options in (
            (),
            ('--preset', 'engine'),
            ('--preset', 'engine', '--drive', 'pose'),
            ('--deltas', 'int16', '--max-morphs', 6),
        ):
            command = ('tet-bake', SAMPLE, '--clip', 'ElbowBend', *options)
            found = self.run_clipmill(*command, '--dump-config', '-o', 'none.glb')
            note = re.search(NOTE, found.stderr)
            self.assertTrue(note, found.stderr)
            after, _ = self.bake('sized.glb', *COARSE, *options)
            targets, limit_mb, likely_mb = note.groups()
            self.assertLessEqual(after['morphs'], int(targets))
            self.assertLessEqual(after['morph_bytes'], 1e6 * float(limit_mb))
            self.assertEqual(likely_mb is not None, bool(set(options) & {'engine', '--max-morphs'}))
            if likely_mb:
                self.assertLess(abs(math.log(after['morph_bytes'] / (1e6 * float(likely_mb)))), 1)

    def test_int16_deltas_are_smaller_than_floats_and_move_the_skin_alike(self):
        floats, _ = self.bake('float.glb', *COARSE)
        integers, _ = self.bake('int16.glb', *COARSE, '--deltas', 'int16')
        self.assertLess(integers['morph_bytes'], 0.7 * floats['morph_bytes'])
        skins = [self.last_skin(name)[0] for name in ('float.glb', 'int16.glb')]
        value, _, _ = glb.read(self.folder / 'int16.glb')
        self.assertEqual(value['extensionsRequired'], ['KHR_mesh_quantization'])
        self.assertGreater(max(math.hypot(*d) for d in skins[0]), 0.005)
        # Keys are reduced to a tenth of a millimetre.
        self.assertLess(max(map(math.dist, *skins)), 2e-4)


if __name__ == '__main__':
    unittest.main()
