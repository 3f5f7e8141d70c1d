# SPDX-License-Identifier: MIT
"""Messages for a wrong command line: each error with its command and its text."""
import pathlib
import shlex
import struct

import glb
from clipmill_process import ProcessTest

TABLE = pathlib.Path(__file__).with_name('errors.tsv')

# Files that the commands of the table name.
FILES = {
    'empty.toml': '',
    'trim.toml': '[[stage]]\ntype = "trim"\nend_s = 0.5\n',
    'bad.toml': '[[stage]]\ntype = "trm"\n',
    'syntax.toml': '[[stage]\n',
    'key.toml': '[[stage]]\ntype = "trim"\nends = 1\n',
    'type.toml': '[[stage]]\ntype = "trim"\nend_s = "late"\n',
    'family.toml': '[[stage]]\ntype = "stretch"\ndistances_m = [3, 5]\n',
    'table.toml': '[stages]\ntype = "trim"\n',
    'untyped.toml': '[[stage]]\nend_s = 1\n',
    'syntax.json': '{"stage": [}',
    'text.txt': 'hello\n',
    'empty.bin': '',
    'old.fbx': 'Kaydara FBX Binary  \0\x1a\0'.encode() + struct.pack('<I', 1000),
}


def errors():
    """(arguments, exit code, text) of each line of the table."""
    for line in TABLE.read_text().splitlines():
        if not line.startswith('#'):
            arguments, exit_code, text = line.split('\t')
            yield arguments, int(exit_code), text


class Messages(ProcessTest):
    def setUp(self):
        super().setUp()
        path = self.file('in.glb', glb.swinging_chain())
        value, _, binary = glb.read(path)
        value['animations'] = []
        self.file('still.glb', glb.assemble(value, binary))
        for name, content in FILES.items():
            self.file(name, content)
        (self.folder / 'folder').mkdir()

    def test_each_error_has_its_text(self):
        before = self.contents()
        for arguments, exit_code, text in errors():
            with self.subTest(arguments):
                process = self.run_clipmill(*shlex.split(arguments), exit_code=exit_code)
                self.assertEqual(process.stdout, '')
                # Notes of stages come first.
                error = process.stderr.splitlines(keepends=True)[-1]
                self.assertEqual(error, 'clipmill: error: ' + text + '\n')
                self.assertEqual(process.stderr.count('clipmill: '), 1)
                self.assertEqual(self.contents(), before)

    def contents(self):
        return {name: (self.folder / name).read_bytes() for name in self.files()}

    def test_no_side_file_is_written_over_another_file(self):
        self.file('many/a.glb', glb.swinging_chain())
        before = self.contents()
        run = ['run', 'in.glb', '-o', 'x.glb', '--recipe', 'trim.toml']
        batch = ['batch', 'many', '--recipe', 'trim.toml', '--out-dir', 'out']
        for command in (
            run + ['--report', './in.glb'],
            run + ['--report', 'folder/../x.glb'],
            run + ['--depfile', 'trim.toml'],
            run + ['--report', 'r', '--depfile', 'r'],
            batch + ['--report', 'many/a.glb'],
            batch + ['--report', 'out/a.glb'],
            batch + ['--depfile', 'trim.toml'],
            ['merge', 'in.glb', 'many/a.glb', '-o', 'x.glb', '--report', 'many/a.glb'],
            ['batch', 'show', 'still.glb', '-o', 'still.glb'],
            ['preview', 'in.glb', '-o', 'in.glb'],
        ):
            with self.subTest(command):
                process = self.run_clipmill(*command, exit_code=2)
                self.assertOneSentence(process.stderr, command[-2], command[-1], 'another file')
                self.assertEqual(self.contents(), before)


if __name__ == '__main__':
    import unittest

    unittest.main()
