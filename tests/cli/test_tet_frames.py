# SPDX-License-Identifier: MIT
"""Files of keep_tets: they agree with the report, and preview pages contain them."""
import base64
import json
import pathlib
import re
import struct
import unittest

from clipmill_process import PROGRAM, SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
COARSE = ('--fps', 6, '-q', '--max-tets', 3000)
TEMPLATE = pathlib.Path(PROGRAM).resolve().parent.parent / 'share/clipmill/viewer.html'


def read_tets(data):
    """{clip, start, end, fps, tets, held, rest, frames}, positions in metres."""
    mark, version, corners, tets, frames = struct.unpack_from('<8s4I', data)
    assert (mark, version) == (b'CLIPTETS', 1)
    start, end, fps = struct.unpack_from('<3d', data, 24)
    low, step = struct.unpack_from('<3f', data, 48), struct.unpack_from('<3f', data, 60)
    (length,) = struct.unpack_from('<I', data, 72)
    at = -(-(76 + length) // 4) * 4
    indices = struct.unpack_from(f'<{4 * tets}I', data, at)
    held = data[at + 16 * tets : at + 17 * tets]
    at += -(-17 * tets // 4) * 4
    numbers = struct.unpack_from(f'<{3 * corners * (frames + 1)}H', data, at)
    assert len(data) == at + 6 * corners * (frames + 1)

    def positions(frame):
        first = 3 * corners * frame
        return [
            [low[c] + step[c] * numbers[first + 3 * i + c] for c in range(3)]
            for i in range(corners)
        ]

    return {
        'clip': data[76 : 76 + length].decode(),
        'times': (start, end, fps),
        'tets': [indices[4 * t : 4 * t + 4] for t in range(tets)],
        'held': held,
        'rest': positions(0),
        'frames': [positions(frame + 1) for frame in range(frames)],
    }


def volumes(positions, tets):
    def volume(a, b, c, d):
        u, v, w = ([q - p for p, q in zip(positions[a], positions[k])] for k in (b, c, d))
        return (
            u[0] * (v[1] * w[2] - v[2] * w[1])
            + u[1] * (v[2] * w[0] - v[0] * w[2])
            + u[2] * (v[0] * w[1] - v[1] * w[0])
        ) / 6

    return [volume(*tet) for tet in tets]


class TetFrames(ProcessTest):
    def bake(self, *arguments):
        self.run_clipmill(
            *('tet-bake', SAMPLE, '-o', 'full.glb', '--keep-tets', 'true', *COARSE, *arguments)
        )

    def test_volumes_in_the_file_are_those_of_the_report(self):
        self.bake('--report', 'report.json')
        report = json.loads((self.folder / 'report.json').read_text())
        self.assertEqual(len(report['clips']), 2)
        for clip in report['clips']:
            tets = read_tets((self.folder / f"full_{clip['clip']}.tets").read_bytes())
            self.assertEqual(tets['clip'], clip['clip'])
            self.assertEqual(len(tets['frames']), clip['frames'])
            self.assertEqual(tets['times'][2], 6.0)
            (stage,) = clip['stages']
            self.assertEqual(len(tets['tets']), stage['metrics']['after']['tets'])
            series = {s['name']: s['after'] for s in stage['series']}
            rest = volumes(tets['rest'], tets['tets'])
            self.assertGreater(min(rest), 0)
            for frame, positions in enumerate(tets['frames']):
                now = volumes(positions, tets['tets'])
                ratios = [n / r for n, r, h in zip(now, rest, tets['held']) if not h]
                # 16-bit numbers round positions to 0.02 mm, in cells of some centimetres.
                self.assertAlmostEqual(min(ratios), series['min_j'][frame], delta=5e-3)
                share = 100 * sum(now) / sum(rest)
                self.assertAlmostEqual(share, series['tet_volume_percent'][frame], delta=0.02)

    def test_keep_tets_does_not_change_the_output(self):
        self.bake()
        kept = (self.folder / 'full.glb').read_bytes()
        self.run_clipmill('tet-bake', SAMPLE, '-o', 'plain.glb', *COARSE)
        self.assertEqual(kept, (self.folder / 'plain.glb').read_bytes())
        self.assertEqual(
            self.files(),
            ['full.glb', 'full_ElbowBend.tets', 'full_ForearmTwist.tets', 'plain.glb'],
        )

    def test_a_batch_runs_again_when_a_tets_file_is_missing(self):
        recipe = '[[stage]]\ntype = "tet-bake"\nmax_tets = 3000\nkeep_tets = true\n'
        self.file('recipe.toml', recipe + '[output]\nfps = 6\n')

        def known():
            self.run_clipmill(
                *('batch', SAMPLE, '--recipe', 'recipe.toml', '--out-dir', 'out', '-q'),
                *('--report', 'report.json'),
            )
            return json.loads((self.folder / 'report.json').read_text())['run']['from_record']

        self.assertEqual([known(), known()], [0, 1])
        file = self.folder / 'out' / 'humanoid_ElbowBend.tets'
        content = file.read_bytes()
        file.unlink()
        self.assertEqual(known(), 0)
        self.assertEqual(file.read_bytes(), content)

    def test_limb_volumes_have_a_series_of_dual_quaternion_skinning(self):
        self.bake('--report', 'report.json')
        report = json.loads((self.folder / 'report.json').read_text())
        twist = next(c for c in report['clips'] if c['clip'] == 'ForearmTwist')
        (stage,) = twist['stages']
        ours, dual = (
            {s['of']: s for s in stage['series'] if s['name'] == name}
            for name in ('limb_volume_percent', 'dual_quaternion_limb_volume_percent')
        )
        self.assertEqual(set(ours), set(dual))
        self.assertGreater(len(ours), 0)
        least = min(min(s['after']) for s in dual.values())
        metrics = stage['metrics']['after']
        self.assertAlmostEqual(
            least, metrics['dual_quaternion_min_limb_volume_percent'], delta=1e-9
        )

    @unittest.skipUnless(TEMPLATE.is_file(), 'no page: run scripts/viewer.sh and build again')
    def test_preview_pages_contain_the_bytes_of_the_tets_file(self):
        self.bake('--clip', 'ElbowBend', '--preview', 'run.html')
        self.run_clipmill(
            *('preview', SAMPLE, 'full.glb', '--tets', 'full_ElbowBend.tets', '-o', 'page.html')
        )
        file = (self.folder / 'full_ElbowBend.tets').read_bytes()
        for name in ('run.html', 'page.html'):
            text = (self.folder / name).read_text()
            (block,) = re.findall(r'id="tets\d">([^<]*)<', text)
            self.assertEqual(base64.b64decode(block), file)
        (self.folder / 'bad.tets').write_bytes(file[:-1])
        process = self.run_clipmill(
            *('preview', SAMPLE, '--tets', 'bad.tets', '-o', 'bad.html'), exit_code=3
        )
        self.assertOneSentence(process.stderr, 'bad.tets')
        self.assertFalse((self.folder / 'bad.html').exists())


if __name__ == '__main__':
    unittest.main()
