# SPDX-License-Identifier: MIT
"""The scripts for Slurm, on a cluster of four nodes that this machine plays; one of them dies."""
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import glb
import slurm_cluster
from clipmill_process import PROGRAM, ROOT, run

FILES, SHARDS = 200, 8
MAX_WAIT_S = 150
RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = 2\n'


def run_batch(folder, *arguments):
    run(PROGRAM, 'batch', *arguments, cwd=folder)


def make_project(folder, shards):
    """Clips, a recipe and a plan."""
    (folder / 'in').mkdir(parents=True)
    (folder / 'recipe.toml').write_text(RECIPE)
    for k in range(FILES):
        clip = glb.swinging_chain(joints=8 + k % 7, keys=151 + k)
        (folder / 'in' / f'clip{k:03}.glb').write_bytes(clip)
    run_batch(
        folder,
        *('plan', 'in', '--recipe', 'recipe.toml', '--out-dir', 'out', '-o', 'plan'),
        *('--shards', str(shards), '-q'),
    )


def outputs(folder):
    return {path.name: path.read_bytes() for path in (folder / 'out').glob('*.glb')}


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-slurm-')
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        local = cls.folder / 'local'
        make_project(local, 1)
        run_batch(local, 'run', 'plan', '--shard', '1/1', '-q')
        run_batch(local, 'merge', 'plan', '-o', 'report.json', '-q')
        cls.report = (local / 'report.json').read_bytes()
        cls.outputs = outputs(local)
        assert len(cls.outputs) == FILES

    def setUp(self):
        # A short name: the paths of Slurm's sockets in it have at most 108 characters.
        self.project = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        make_project(self.project, SHARDS)
        work = self.project / 'slurm'
        work.mkdir()
        self.cluster = slurm_cluster.Cluster(work)
        self.addCleanup(self.check_all_is_stopped)
        self.addCleanup(self.cluster.stop)
        self.cluster.start()

    def check_all_is_stopped(self):
        self.assertEqual(self.cluster.processes(), set())
        for daemon in self.cluster.daemons.values():
            self.assertIsNotNone(daemon.poll())

    def submit(self):
        environment = {**self.cluster.environment, 'CLIPMILL': PROGRAM}
        process = subprocess.run(
            [ROOT / 'scripts/slurm/submit.sh', 'plan', '-o', 'report.json'],
            cwd=self.project,
            env=environment,
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertRegex(process.stdout, r'^\d+ \d+$')

    def journal(self, shard):
        path = self.project / 'plan' / 'reports' / f'{shard}-of-{SHARDS}.jsonl'
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith('}')]

    def log(self, shard):
        return (self.project / 'plan' / 'logs' / f'shard-{shard}.log').read_text()

    def wait_for_half_a_shard(self, node):
        """A shard that the node is in the middle of."""
        end = time.monotonic() + MAX_WAIT_S
        while time.monotonic() < end:
            for task, state, where in self.cluster.queue():
                if state != 'RUNNING' or where != node or task == 'N/A':
                    continue
                events = collections.Counter(event['event'] for event in self.journal(task))
                if events['end'] >= 2 and events['stop'] == 0:
                    return task
            time.sleep(0.02)
        self.fail(f'nothing runs on {node}\n{self.cluster.logs()}')

    def wait_for_the_report(self):
        end = time.monotonic() + MAX_WAIT_S
        while self.cluster.queue():
            if time.monotonic() > end:
                self.fail(f'{self.cluster.queue()}\n{self.cluster.logs()}')
            time.sleep(0.2)
        self.assertEqual((self.project / 'report.json').read_bytes(), self.report)
        self.assertEqual(outputs(self.project), self.outputs)
        self.assertEqual(list(self.project.glob('out/**/.*.tmp')), [])

    def check_that_nothing_was_done_twice(self, shard, in_hand):
        """But the file that was in hand when the shard was stopped."""
        events = self.journal(shard)
        starts = [at for at, event in enumerate(events) if event['event'] == 'start']
        self.assertEqual(len(starts), 2)
        second = [event for event in events[starts[1] :] if event['event'] == 'end']
        self.assertEqual(len(second), events[0]['files'])
        started = collections.Counter(e['name'] for e in events if e['event'] == 'file_start')
        self.assertEqual(len(started), events[0]['files'])
        self.assertLessEqual(sum(count - 1 for count in started.values()), in_hand)
        self.assertGreaterEqual(sum(event['from_record'] for event in second), 2)

    def test_a_failed_node_changes_no_result(self):
        self.submit()
        shard = self.wait_for_half_a_shard('n2')
        self.cluster.kill_node('n2')
        self.assertNotIn('stop', [event['event'] for event in self.journal(shard)])
        self.wait_for_the_report()
        self.assertIn('start 1', self.log(shard))
        self.check_that_nothing_was_done_twice(shard, in_hand=1)

    def test_a_task_over_its_time_limit_is_requeued_and_continues(self):
        self.submit()
        shard = self.wait_for_half_a_shard('n1')
        # What --signal=B:USR1@60 makes Slurm do. `scancel --signal` tries again while a task is on
        # the requeueing, and then hits the next start as well.
        self.cluster.signal_script('n1', signal.SIGUSR1)
        self.wait_for_the_report()
        self.assertIn('start 1', self.log(shard))
        self.check_that_nothing_was_done_twice(shard, in_hand=1)


if __name__ == '__main__':
    if slurm_cluster.missing():
        print('skipped: ' + slurm_cluster.missing())
        sys.exit(77)
    if not os.access(PROGRAM, os.X_OK):
        sys.exit('no clipmill: set CLIPMILL')
    unittest.main()
