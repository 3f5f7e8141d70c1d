# SPDX-License-Identifier: MIT
"""`clipmill batch plan`, `run` and `merge`: a batch in shards, as on a cluster."""
import collections
import json
import os
import random
import shutil
import signal
import subprocess
import time

import glb
from clipmill_process import PROGRAM, ProcessTest

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = %s\n'
FILES = 12


class ShardTest(ProcessTest):
    """A folder `in` with FILES small files and one folder more, and a recipe."""

    def setUp(self):
        super().setUp()
        self.recipe = self.file('recipe.toml', RECIPE % 2)
        for k in range(FILES):
            name = f'in/{"walk/" if k % 3 else ""}clip{k:02}.glb'
            self.file(name, glb.swinging_chain(joints=4 + k, keys=31 + 10 * (k % 5)))

    def plan(self, shards, name='plan', out='out', arguments=(), exit_code=0):
        return self.run_clipmill(
            *('batch', 'plan', 'in', '--recursive', '--recipe', self.recipe, '--out-dir', out),
            *('-o', name, '--shards', shards, *arguments),
            exit_code=exit_code,
        )

    def shard(self, shard, name='plan', arguments=(), exit_code=0, **options):
        return self.run_clipmill(
            *('batch', 'run', name, '--shard', shard, *arguments), exit_code=exit_code, **options
        )

    def merge(self, name='plan', arguments=(), exit_code=0):
        """The merged report as bytes, and the process."""
        merged = self.folder / name / 'report.json'
        merged.unlink(missing_ok=True)
        process = self.run_clipmill(
            'batch', 'merge', name, *arguments, '-o', merged, exit_code=exit_code
        )
        return (merged.read_bytes() if merged.exists() else None), process

    def whole(self, shards, name='plan', out='out', exit_code=0):
        """Plans, runs all shards and merges: the merged report."""
        self.plan(shards, name, out)
        for k in range(1, shards + 1):
            self.shard(f'{k}/{shards}', name, exit_code=None)
        return self.merge(name, exit_code=exit_code)[0]

    def outputs(self, out='out'):
        root = self.folder / out
        return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob('*.glb')}

    def manifest(self, name='plan'):
        text = (self.folder / name / 'manifest.jsonl').read_text()
        return [json.loads(line) for line in text.splitlines()]

    def journal(self, name='plan', report='1-of-1'):
        text = (self.folder / name / 'reports' / (report + '.jsonl')).read_text()
        return [json.loads(line) for line in text.splitlines() if line.endswith('}')]


class Plans(ShardTest):
    def test_planning_twice_gives_the_same_bytes(self):
        self.plan(5)
        first = {p.name: p.read_bytes() for p in (self.folder / 'plan').iterdir()}
        self.assertEqual(set(first), {'plan.json', 'manifest.jsonl', 'recipe.toml'})
        self.plan(5)
        self.plan(5, name='other')
        for name in ('plan', 'other'):
            again = {p.name: p.read_bytes() for p in (self.folder / name).iterdir()}
            self.assertEqual(again, first)

    def test_every_file_is_in_one_shard_and_the_shards_are_balanced(self):
        self.plan(3)
        jobs = self.manifest()
        self.assertEqual(len({job['name'] for job in jobs}), FILES)
        loads = collections.Counter()
        for job in jobs:
            self.assertEqual(job['cost'], (self.folder / job['input']).stat().st_size)
            loads[job['shard']] += job['cost']
        self.assertEqual(set(loads), {1, 2, 3})
        # What no list schedule exceeds: the mean and one file.
        largest = max(job['cost'] for job in jobs)
        self.assertLessEqual(max(loads.values()), sum(loads.values()) / 3 + largest)

    def test_paths_of_a_plan_are_relative_to_the_root(self):
        self.plan(2, arguments=('--root', 'in'))
        self.assertIn('walk/clip01.glb', {job['input'] for job in self.manifest()})
        process = self.plan(2, name='no', arguments=('--root', 'in/walk'), exit_code=2)
        self.assertOneSentence(process.stderr, 'clip00.glb', '--root')
        self.assertFalse((self.folder / 'no').exists())

    def test_a_tree_that_was_moved_gives_the_same_report(self):
        wanted = self.whole(2)
        made = self.outputs()
        away = self.folder / 'far' / 'away'
        away.mkdir(parents=True)
        shutil.rmtree(self.folder / 'out')
        shutil.copytree(self.folder / 'in', away / 'in')
        shutil.rmtree(self.folder / 'in')
        for k in (1, 2):
            self.shard(f'{k}/2', arguments=('--root', away))
        self.assertEqual(self.merge()[0], wanted)
        self.assertEqual(self.outputs('far/away/out'), made)

    def test_errors_of_batch_are_errors_of_batch_plan(self):
        self.recipe = self.file('bad.toml', '[outptu]\n')
        self.assertOneSentence(self.plan(2, exit_code=2).stderr, 'bad.toml', 'outptu')
        self.recipe = self.file('recipe.toml', RECIPE % 2)
        self.plan(2, arguments=('--name', '{stem}.txt'), exit_code=2)
        self.plan(0, exit_code=2)
        self.assertFalse((self.folder / 'plan').exists())
        for missing in (('plan', '--recipe', self.recipe), ('plan', 'in', '--out-dir', 'out'), ()):
            self.run_clipmill('batch', *missing, exit_code=2)

    def test_a_shard_outside_of_the_plan_is_an_error(self):
        self.plan(3)
        for shard in ('0/3', '4/3', '1/2', '1/4', '1', '1/', '/3', '-1/3', '1/3/3', 'x', ''):
            process = self.shard(shard, exit_code=2)
            self.assertOneSentence(process.stderr, '--shard')
        self.assertFalse((self.folder / 'out').exists())

    def test_an_edited_plan_is_an_error(self):
        self.plan(2)
        plan = self.folder / 'plan'
        for name, old, new in (
            ('manifest.jsonl', '"shard":1', '"shard":2'),
            ('manifest.jsonl', '"shard":1', '"shard":3'),
            ('manifest.jsonl', '"name":"', '"name":"../'),
            ('manifest.jsonl', '}\n', '\n'),
            ('recipe.toml', 'frequency_hz = 2', 'frequency_hz = 3'),
            ('plan.json', '"shards": 2', '"shards": 4'),
            ('plan.json', '"shards": 2', '"shards": -2'),
            ('plan.json', '"clips"', '"clops"'),
        ):
            whole = (plan / name).read_text()
            self.assertIn(old, whole)
            (plan / name).write_text(whole.replace(old, new, 1))
            process = self.shard('1/2', exit_code=3)
            self.assertOneSentence(process.stderr, 'plan')
            (plan / name).write_text(whole)
        self.assertFalse((self.folder / 'out').exists())
        self.shard('1/2')


class Shards(ShardTest):
    def test_the_merged_report_and_the_outputs_are_the_same_for_any_number_of_shards(self):
        self.file('in/broken.glb', b'glTF')
        one = self.whole(1, 'one', 'out', exit_code=1)
        wanted = self.outputs()
        self.assertEqual(len(wanted), FILES)
        for shards in (7, 64):
            shutil.rmtree(self.folder / 'out')
            self.assertEqual(self.whole(shards, f'p{shards}', 'out', exit_code=1), one)
            self.assertEqual(self.outputs(), wanted)

    def test_shards_and_one_batch_give_the_same_bytes(self):
        merged = json.loads(self.whole(3))
        made = self.outputs()
        shutil.rmtree(self.folder / 'out')
        self.run_clipmill(
            *('batch', 'in', '--recursive', '--recipe', self.recipe, '--out-dir', 'out'),
            *('--report', 'report.json'),
        )
        report = json.loads((self.folder / 'report.json').read_text())
        del report['run']
        self.assertEqual(merged, report)
        self.assertEqual(self.outputs(), made)

    def test_a_second_run_processes_no_file(self):
        wanted = self.whole(2)
        times = {p: p.stat().st_mtime_ns for p in (self.folder / 'out').rglob('*.glb')}
        self.assertEqual(self.whole(2), wanted)
        self.assertEqual(self.whole(5, 'other'), wanted)
        self.assertEqual({p: p.stat().st_mtime_ns for p in times}, times)
        ends = [e for e in self.journal(report='2-of-2') if e['event'] == 'end']
        half = len(ends) // 2
        self.assertEqual([e['from_record'] for e in ends], [False] * half + [True] * half)

    def test_a_broken_file_fails_alone_and_is_in_the_merged_report(self):
        self.file('in/broken.glb', b'glTF')
        self.plan(2)
        codes = [self.shard(f'{k}/2', exit_code=None).returncode for k in (1, 2)]
        self.assertEqual(sorted(codes), [0, 1])
        merged, process = self.merge(exit_code=1)
        self.assertIn('broken.glb', process.stderr)
        merged = json.loads(merged)
        self.assertEqual((merged['done'], merged['failed']), (FILES, 1))

    def test_temporary_files_of_a_killed_shard_are_removed_and_those_of_others_kept(self):
        self.plan(2)
        first = {job['name'] for job in self.manifest() if job['shard'] == 1}
        own, other, foreign = [], [], []
        for job in self.manifest():
            folder, _, name = ('out/' + job['name']).rpartition('/')
            mine = own if job['name'] in first else other
            mine.append(self.file(f'{folder}/.{name}.123.4.tmp', 'half'))
            mine.append(self.file(f'{folder}/.{name[:-4]}_5m.glb.123.4.tmp', 'a variant'))
        for name in ('.clip.glb.tmp', 'clip00.glb.1.2.tmp', '.mine.glb.1.2.tmp', '.1.2.tmp'):
            foreign.append(self.file('out/' + name, 'not ours'))
        self.shard('1/2')
        self.assertEqual([p for p in own if p.exists()], [])
        self.assertEqual([p for p in other + foreign if not p.exists()], [])

    def test_a_reused_process_id_does_no_harm(self):
        # In containers every process has the same number.
        self.plan(1)
        script = (
            'for n in $(seq 0 40); do : > "plan/reports/.1-of-1.json.$$.$n.tmp"; done;'
            'exec "$0" batch run plan --shard 1/1'
        )
        (self.folder / 'plan' / 'reports').mkdir()
        subprocess.run(
            ['bash', '-c', script, PROGRAM], cwd=self.folder, check=True, capture_output=True
        )
        self.merge()


class Merges(ShardTest):
    def setUp(self):
        super().setUp()
        self.plan(3)
        for k in (1, 2, 3):
            self.shard(f'{k}/3')
        self.reports = [self.folder / 'plan/reports' / f'{k}-of-3.json' for k in (1, 2, 3)]

    def refused(self, *parts, arguments=()):
        merged, process = self.merge(arguments=arguments, exit_code=3)
        self.assertIsNone(merged)
        self.assertOneSentence(process.stderr, *parts)

    def test_reports_can_be_given_in_any_order(self):
        wanted = self.merge()[0]
        self.assertEqual(self.merge(arguments=reversed(self.reports))[0], wanted)

    def test_missing_shards_are_listed(self):
        self.refused('1 of 3 shards', ': 2', arguments=(self.reports[0], self.reports[2]))
        self.reports[1].unlink()
        self.reports[2].unlink()
        self.refused('2 of 3 shards', ': 2, 3')

    def test_two_reports_of_one_shard_are_an_error(self):
        copy = shutil.copy(self.reports[1], self.folder / 'copy.json')
        self.refused('shard 2', 'copy.json', arguments=(*self.reports, copy))

    def test_a_report_of_another_version_configuration_or_plan_is_refused(self):
        whole = json.loads(self.reports[1].read_text())
        for member in ('version', 'config_hash', 'plan_hash'):
            self.reports[1].write_text(json.dumps({**whole, member: 'another'}))
            self.refused('2-of-3.json', member, 'another')
        self.reports[1].write_text(json.dumps(whole))
        self.merge()
        self.recipe = self.file('recipe.toml', RECIPE % 3)
        self.plan(3)
        self.refused('1-of-3.json', 'config_hash')

    def test_a_damaged_report_is_refused(self):
        text = self.reports[1].read_text()
        whole = json.loads(text)
        jobs = whole['report']['jobs']
        first = json.loads(self.reports[0].read_text())['report']['jobs']

        def with_jobs(changed):
            return json.dumps({**whole, 'report': {**whole['report'], 'jobs': changed}})

        for damaged in (
            '',
            text[: len(text) // 2],
            '[]',
            '{"schema": 1}',
            with_jobs(jobs[1:]),
            with_jobs(jobs + jobs[:1]),
            with_jobs(first),
            with_jobs(jobs[1:] + [{**jobs[0], 'status': 'skipped'}]),
            with_jobs(jobs[1:] + [{**jobs[0], 'status': 'failed'}]),
            with_jobs(jobs[1:] + [{**jobs[0], 'name': 7}]),
            json.dumps({**whole, 'shard': 4}),
            json.dumps({**whole, 'shard': -1}),
        ):
            self.reports[1].write_text(damaged)
            self.refused('2-of-3.json')
        self.reports[1].write_text(text)
        self.merge()


class Interruptions(ShardTest):
    """One shard of files that take a while."""

    def setUp(self):
        super().setUp()
        shutil.rmtree(self.folder / 'in')
        for k in range(FILES):
            self.file(f'in/clip{k:02}.glb', glb.swinging_chain(joints=20 + k, keys=91))
        self.plan(1)

    def start(self, *arguments):
        return subprocess.Popen(
            [PROGRAM, 'batch', 'run', 'plan', '--shard', '1/1', *arguments],
            cwd=self.folder,
            stderr=subprocess.DEVNULL,
        )

    def forget(self):
        shutil.rmtree(self.folder / 'out', ignore_errors=True)
        shutil.rmtree(self.folder / 'plan' / 'reports', ignore_errors=True)

    def temporaries(self):
        return [p for p in self.folder.rglob('.*.tmp')]

    def test_a_killed_shard_loses_only_the_files_in_work(self):
        start_s = time.monotonic()
        self.shard('1/1', arguments=('-j', '2'))
        seconds = time.monotonic() - start_s
        merged, wanted = self.merge()[0], self.outputs()
        self.assertEqual(len(wanted), FILES)
        chance = random.Random(7)
        kept = []
        for _ in range(20):
            self.forget()
            process = self.start('-j', '2')
            time.sleep(chance.uniform(0.0, seconds))
            process.kill()
            process.wait()
            for name, content in self.outputs().items():
                self.assertEqual(content, wanted[name], 'a whole file or none')
            records = len(list((self.folder / 'out' / '.clipmill').glob('*.json')))
            kept.append(records)
            self.shard('1/1', arguments=('-j', '2'))
            self.assertEqual(self.outputs(), wanted)
            self.assertEqual(self.merge()[0], merged)
            self.assertEqual(self.temporaries(), [])
            ends = [e for e in self.journal() if e['event'] == 'end']
            made = collections.Counter(e['name'] for e in ends if not e['from_record'])
            self.assertLessEqual(max(made.values(), default=1), 1, 'nothing is done twice')
            starts = [i for i, e in enumerate(self.journal()) if e['event'] == 'start']
            second = self.journal()[starts[-1] :]
            known = [e for e in second if e['event'] == 'end' and e['from_record']]
            self.assertEqual(len(known), records, 'what has a record is not done again')
            self.assertEqual(len([e for e in second if e['event'] == 'end']), FILES)
        # A loop without any interruption would pass too.
        self.assertGreater(len({count for count in kept if 0 < count < FILES}), 2, kept)

    def test_a_signal_ends_a_shard_and_the_next_run_continues(self):
        self.shard('1/1')
        merged = self.merge()[0]
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT):
            self.forget()
            process = self.start('-j', '1')
            while not self.outputs() and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(number)
            self.assertEqual(process.wait(), 75)
            self.assertLess(len(self.outputs()), FILES)
            self.assertEqual(self.temporaries(), [])
            self.assertEqual(list((self.folder / 'plan/reports').glob('*.json')), [])
            self.assertEqual(self.journal()[-1]['event'], 'stop')
            _, process = self.merge(exit_code=3)
            self.assertOneSentence(process.stderr, '1 of 1 shards')
            self.shard('1/1')
            self.assertEqual(self.merge()[0], merged)

    def test_a_killed_run_leaves_no_old_report(self):
        self.shard('1/1')
        self.merge()
        self.file('in/clip03.glb', glb.swinging_chain(joints=5))
        shutil.rmtree(self.folder / 'out')
        process = self.start('-j', '1')
        while not self.outputs() and process.poll() is None:
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.merge(exit_code=3)


class FullOrReadOnly(ShardTest):
    """Folders that cannot be written: mounted file systems, if mounting is allowed."""

    def mounted(self, options):
        """The folder `out` as a small file system; the test is skipped where that cannot be."""
        folder = self.folder / 'out'
        folder.mkdir()
        command = ['mount', '-t', 'tmpfs', '-o', options, 'clipmill-test', folder]
        if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode:
            self.skipTest('mounting a small file system is not allowed here')
        self.addCleanup(subprocess.run, ['umount', folder], check=True)
        return folder

    def assertAllFailed(self, process, *patterns):
        for pattern in patterns:
            self.assertRegex(process.stderr, pattern)
        _, process = self.merge(exit_code=3)
        self.assertIn('0 done', process.stderr)

    def test_a_read_only_output_folder_is_exit_3(self):
        self.plan(1)
        self.mounted('ro,size=1m')
        process = self.shard('1/1', exit_code=3)
        self.assertOneSentence(process.stderr, 'out')
        self.assertEqual(self.outputs(), {})

    def test_outputs_that_cannot_be_written_are_exit_3_and_leave_no_half_file(self):
        self.plan(1)
        folder = self.mounted('size=1m')
        (folder / '.clipmill').mkdir()
        subprocess.run(['mount', '-o', 'remount,ro', folder], check=True)
        denied = 'Read-only|Access denied|write protected'  # of Linux, wine and Windows
        self.assertAllFailed(self.shard('1/1', exit_code=3), denied)
        self.assertEqual(self.outputs(), {})

    def test_a_full_disk_is_exit_3_and_leaves_no_half_file(self):
        self.plan(1)
        wanted = self.whole(1, 'wanted', 'elsewhere')
        self.assertIsNotNone(wanted)
        whole = self.outputs('elsewhere')
        folder = self.mounted('size=48k')
        self.assertLess(48 * 1024, sum(map(len, whole.values())))
        process = self.shard('1/1', exit_code=3)
        # Messages of Linux, of wine and of Windows.
        self.assertRegex(process.stderr, 'No space left|Disk full|not enough space')
        self.assertIn('free some space', process.stderr)
        for name, content in self.outputs().items():
            self.assertEqual(content, whole[name])
        self.assertEqual([p for p in folder.rglob('.*.tmp')], [])
        subprocess.run(['mount', '-o', 'remount,size=8m', folder], check=True)
        self.shard('1/1')
        self.assertEqual(self.outputs(), whole)

    def test_a_file_over_the_limit_of_the_process_is_exit_3(self):
        self.plan(1)
        process = subprocess.run(
            ['bash', '-c', 'ulimit -f 1; exec "$0" batch run plan --shard 1/1', PROGRAM],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn('File too large', process.stderr)
        self.assertEqual([n for n in self.files() if n.endswith('.tmp')], [])
        for name in self.outputs():
            glb.read(self.folder / 'out' / name)


if __name__ == '__main__':
    import unittest

    unittest.main()
