# SPDX-License-Identifier: MIT
"""Messages for a wrong command line: each error with its command and its text."""
import glb
from clipmill_process import ProcessTest

HELP = '; run with --help for the usage'
FORMATS = 'use .fbx, .glb, .gltf, .vrm or .vrma'
NO_EXTENSION = 'has an extension that cannot be written; '

# (arguments, exit code, text behind "clipmill: error: ")
ERRORS = (
    ('frobnicate', 2, 'unknown argument: frobnicate' + HELP),
    ('info', 2, 'FILE is required' + HELP),
    ('info no.glb', 3, 'no.glb: no such file'),
    ('info in.glb --frob', 2, 'unknown argument: --frob' + HELP),
    ('info folder', 3, 'folder: is a directory, not a file'),
    ('poses in.glb --times 0 --fps 3', 2, '--times excludes --fps' + HELP),
    ('diff in.glb', 2, 'B is required' + HELP),
    ('convert in.glb', 2, '--output is required' + HELP),
    ('convert in.glb -o x.abc', 2, 'x.abc: ' + NO_EXTENSION + FORMATS),
    (
        'convert in.glb -o no/x.glb',
        3,
        'no/x.glb: is in a folder that does not exist; create the folder first',
    ),
    (
        'convert in.glb -o x.glb --keys some',
        2,
        "--keys: is 'some'; choose one of: reduced, all",
    ),
    (
        'run in.glb -o x.glb',
        2,
        'no recipe is given; use --recipe FILE, or --clip-from FILE',
    ),
    ('run --recipe empty.toml', 2, 'IN and -o OUTPUT are required' + HELP),
    ('run in.glb -o x.glb --recipe no.toml', 2, 'no.toml: no such file'),
    (
        'run in.glb -o x.glb --recipe bad.toml',
        2,
        "bad.toml: stage[0].type: there is no stage 'trm'; did you mean 'trim'?",
    ),
    (
        'run in.glb -o x.glb --recipe empty.toml --set trim.end_s=1',
        2,
        "--set trim.end_s: the recipe has no stage 'trim'",
    ),
    (
        'trim in.glb -o x.glb --clip Run',
        3,
        'in.glb: --clip Run: no clip has that name or index; the file has 1 clip',
    ),
    ('trim in.glb -o x.glb --start-s many', 2, '--start-s: needs a number'),
    (
        'trim in.glb -o x.glb --start-s 0.5 --end-s 0.25',
        2,
        'in.glb: trim: the part from 0.500 s to 0.250 s has no length; '
        'let it end later than it starts',
    ),
    ('batch', 2, 'batch: INPUT is required' + HELP),
    ('batch in.glb --out-dir out', 2, 'batch: --recipe is required' + HELP),
    (
        'batch folder --recipe empty.toml --out-dir out',
        3,
        'folder: has no animation file; use --recursive to search subfolders',
    ),
    (
        'batch in.glb --recipe empty.toml --out-dir .',
        2,
        '--out-dir .: contains all inputs, which would be overwritten; choose another folder',
    ),
    (
        'batch in.glb --recipe empty.toml --out-dir out --name {nam}.glb',
        2,
        '--name {nam}.glb: has an unknown field; use {dir}, {stem} and {ext}',
    ),
    ('merge in.glb', 2, 'CLIP is required' + HELP),
    ('split in.glb', 2, '--output is required' + HELP),
    ('blend in.glb -o x.glb', 2, 'in.glb: with: names no other clip; give one, e.g. --with Run'),
    (
        'preview in.glb',
        2,
        'an output is needed; give -o FILE.html for a page, --sheet FILE.png for a contact '
        'sheet, or --movie FILE.webp for a movie',
    ),
)


class Messages(ProcessTest):
    def test_each_error_has_its_text(self):
        self.file('in.glb', glb.swinging_chain())
        self.file('empty.toml', '')
        self.file('bad.toml', '[[stage]]\ntype = "trm"\n')
        (self.folder / 'folder').mkdir()
        before = self.files()
        for arguments, exit_code, text in ERRORS:
            with self.subTest(arguments):
                process = self.run_clipmill(*arguments.split(), exit_code=exit_code)
                self.assertEqual(process.stdout, '')
                self.assertEqual(process.stderr, 'clipmill: error: ' + text + '\n')
                self.assertEqual(self.files(), before)


if __name__ == '__main__':
    import unittest

    unittest.main()
