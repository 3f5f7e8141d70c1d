# SPDX-License-Identifier: MIT
"""Runs that need more memory than there is end with a sentence, on any number of threads."""
import json
import os
import resource
import unittest

import glb
from clipmill_process import ProcessTest, is_sanitized

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\n'
# More than half a gigabyte of sampled motion.
LARGE = {'joints': 40, 'keys': 200000}


def limited(megabytes):
    """For subprocess: the process gets that much address space."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@unittest.skipIf(is_sanitized(), 'sanitizers need all address space')
class Memory(ProcessTest):
    def setUp(self):
        super().setUp()
        self.recipe = self.file('recipe.toml', RECIPE)
        # One arena, so that the limit is reached by what is kept and not by what is set aside.
        self.environment = dict(os.environ, MALLOC_ARENA_MAX='1')

    def clips(self, count):
        """A large file with so many clips."""
        value, _, binary = glb.read(self.file('one.glb', glb.swinging_chain(**LARGE)))
        value['animations'] = [
            dict(value['animations'][0], name=f'Sway{k}') for k in range(count)
        ]
        return self.file('large.glb', glb.assemble(value, binary))

    def test_a_run_that_is_out_of_memory_ends_with_3_on_any_number_of_threads(self):
        large = self.clips(3)
        before = self.files()
        for threads in (1, 2, 4):
            for megabytes in (300, 500, 700):
                with self.subTest(threads=threads, megabytes=megabytes):
                    process = self.run_clipmill(
                        *('run', large, '--recipe', self.recipe, '-o', 'out.glb'),
                        *('-j', threads, '-q'),
                        exit_code=3,
                        env=self.environment,
                        preexec_fn=limited(megabytes),
                    )
                    self.assertOneSentence(process.stderr, 'memory ran out', '--clip')
                    self.assertEqual(self.files(), before)

    def test_a_file_of_a_batch_that_is_out_of_memory_fails_alone(self):
        self.file('in/a.glb', glb.swinging_chain())
        self.file('in/b.glb', glb.swinging_chain(**LARGE))
        self.file('in/c.glb', glb.swinging_chain(joints=6))
        for jobs in (1, 2):
            with self.subTest(jobs=jobs):
                self.run_clipmill(
                    *('batch', 'in', '--recipe', self.recipe, '--out-dir', f'out{jobs}'),
                    *('-j', jobs, '--report', 'report.json', '--progress', 'off'),
                    exit_code=1,
                    env=self.environment,
                    preexec_fn=limited(400),
                )
                report = json.loads((self.folder / 'report.json').read_text())
                status = {job['name']: job['status'] for job in report['jobs']}
                self.assertEqual(
                    status, {'a.glb': 'done', 'b.glb': 'failed', 'c.glb': 'done'}
                )
                error = next(job['error'] for job in report['jobs'] if job['name'] == 'b.glb')
                self.assertEqual(error['code'], 'limit')
                self.assertIn('memory', error['message'])


if __name__ == '__main__':
    unittest.main()
