#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays the inputs that fuzzing kept: play_kept_inputs.py PLAY_PROGRAM CORPUS.tar.gz

Exit code 1, with the names of the inputs, where one ends the program.
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def main():
    program, corpus = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(corpus) as archive:
            archive.extractall(folder)
        if subprocess.run([program, folder]).returncode == 0:
            return 0
        for path in sorted(pathlib.Path(folder).iterdir()):
            run = subprocess.run([program, path], capture_output=True, text=True, errors='replace')
            if run.returncode != 0:
                print(f'{path.name}: code {run.returncode} {run.stderr.strip()}')
    return 1


if __name__ == '__main__':
    sys.exit(main())
