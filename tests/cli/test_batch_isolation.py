# SPDX-License-Identifier: MIT
"""`clipmill batch` with a process a file: one that crashes, runs away or is killed ends alone."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest, is_sanitized

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\n'
# Many seconds of work, and more than half a gigabyte of sampled motion.
LONG = {'joints': 40, 'keys': 200000}


def is_on(process_id, name):
    """Whether the process was started for that file."""
    try:
        return name.encode() in pathlib.Path(f'/proc/{process_id}/cmdline').read_bytes()
    except OSError:
        return False


def children_of(process_id):
    """Ids of the processes that one has started and that still run."""
    children = []
    for stat in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process_id and fields[0] != 'Z':
            children.append(int(stat.parent.name))
    return children


class Isolation(ProcessTest):
    def setUp(self):
        super().setUp()
        self.recipe = self.file('recipe.toml', RECIPE)
        for k, name in enumerate(('a.glb', 'b.glb', 'd/c.glb')):
            self.file('in/' + name, glb.swinging_chain(joints=4 + k))

    def arguments(self, *arguments, out='out'):
        given = ['batch', 'in', '--recursive', '--recipe', 'recipe.toml', '--out-dir', out]
        return [*given, '--report', 'report.json', '--progress', 'off', *arguments]

    def batch(self, *arguments, out='out', exit_code=0):
        process = self.run_clipmill(*self.arguments(*arguments, out=out), exit_code=exit_code)
        return json.loads((self.folder / 'report.json').read_text()), process

    def launch(self, *arguments):
        """A batch in the background, and the id of its child that has worked on long.glb for a
        moment."""
        process = subprocess.Popen([PROGRAM, *self.arguments(*arguments)], cwd=self.folder)
        self.addCleanup(process.kill)
        seen = {}
        while process.poll() is None:
            for child in children_of(process.pid):
                # On a busy machine the others take a moment as well.
                if not is_on(child, 'long.glb'):
                    continue
                if time.monotonic() - seen.setdefault(child, time.monotonic()) > 1.5:
                    return process, child
            time.sleep(0.02)
        self.fail('the batch ended before')

    def outputs(self, out='out'):
        """Everything below the folder but the records."""
        root = self.folder / out
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob('*')
            if path.is_file() and '.clipmill' not in path.parts
        }

    def assertEnds(self, process_id):
        for _ in range(200):
            try:
                if pathlib.Path(f'/proc/{process_id}/stat').read_text().rsplit(')', 1)[1][1] == 'Z':
                    return
            except OSError:
                return
            time.sleep(0.02)
        self.fail('still runs')

    def test_outputs_report_and_records_are_the_same_as_without(self):
        self.file('in/broken.glb', glb.swinging_chain()[:200])
        inside, _ = self.batch(out='inside', exit_code=1)
        apart, _ = self.batch('--isolate', '-j', '2', exit_code=1)
        self.assertEqual(self.outputs(), self.outputs('inside'))
        self.assertEqual(len(self.outputs()), 3)
        for job in apart['run']['jobs']:
            self.assertGreater(job['peak_mb'], 1.0)
        self.assertNotIn('peak_mb', inside['run']['jobs'][0])
        del inside['run'], apart['run']
        self.assertEqual(inside, apart)
        again, _ = self.batch(exit_code=1)
        self.assertEqual(again['run']['from_record'], 4)

    def test_a_crash_fails_one_file_only(self):
        self.file('in/long.glb', glb.swinging_chain(**LONG))
        process, child = self.launch('--isolate', '-j', '1')
        os.kill(child, signal.SIGABRT)  # sanitizers keep SIGSEGV for themselves
        self.assertEqual(process.wait(), 1)
        report = json.loads((self.folder / 'report.json').read_text())
        self.assertEqual((report['done'], report['failed']), (3, 1))
        (failed,) = [job for job in report['jobs'] if job['status'] == 'failed']
        self.assertEqual((failed['name'], failed['error']['code']), ('long.glb', 'internal'))
        self.assertIn('signal 6', failed['error']['message'])
        self.assertEqual(set(self.outputs()), {'a.glb', 'b.glb', 'd/c.glb'})
        # It is no property of the file: the next batch tries again.
        self.file('in/long.glb', glb.swinging_chain(joints=4))
        report, _ = self.batch()
        self.assertEqual((report['done'], report['run']['from_record']), (4, 3))

    def test_a_file_over_the_time_limit_fails(self):
        # The others are known: on a busy machine they might take too long as well.
        self.batch()
        self.file('in/long.glb', glb.swinging_chain(**LONG))
        for _ in range(2):
            report, process = self.batch('--timeout', '1.5', exit_code=1)
            self.assertEqual((report['done'], report['failed']), (3, 1))
            self.assertOneError(process.stderr, 'in/long.glb: did not finish within 1.5 s; raise')
            self.assertEqual(set(self.outputs()), {'a.glb', 'b.glb', 'd/c.glb'})
            self.assertEqual(report['run']['from_record'], 3)
            self.assertGreaterEqual(report['run']['jobs'][0]['ms'], 1500)

    @unittest.skipIf(is_sanitized(), 'sanitizers need the whole address space')
    def test_a_file_over_the_memory_limit_fails(self):
        self.file('in/long.glb', glb.swinging_chain(**LONG))
        report, process = self.batch('--max-memory', '400', exit_code=1)
        self.assertEqual((report['done'], report['failed']), (3, 1))
        (failed,) = [job for job in report['jobs'] if job['status'] == 'failed']
        self.assertEqual((failed['name'], failed['error']['code']), ('long.glb', 'limit'))
        self.assertIn('--max-memory', failed['error']['remedy'])
        self.assertOneError(process.stderr, 'in/long.glb: ')

    def assertOneError(self, stderr, part):
        lines = [line for line in stderr.splitlines() if 'error: ' in line]
        self.assertEqual(len(lines), 1, stderr)
        self.assertIn(part, lines[0])

    def test_an_interrupted_batch_ends_its_child_processes(self):
        self.file('in/long.glb', glb.swinging_chain(**LONG))
        for number, code in ((signal.SIGTERM, 75), (signal.SIGKILL, -9)):
            process, child = self.launch('--isolate', '-j', '1')
            process.send_signal(number)
            self.assertEqual(process.wait(), code)
            self.assertEnds(child)
            self.assertNotIn('long.glb', ' '.join(self.outputs()))

    def test_the_child_command_is_hidden_and_rejects_other_input(self):
        self.assertNotIn('batch-child', self.run_clipmill('--help').stdout)
        process = self.run_clipmill('batch-child', 'a', 'b', input='{}', exit_code=2)
        self.assertOneSentence(process.stderr, '--isolate')


if __name__ == '__main__':
    unittest.main()
