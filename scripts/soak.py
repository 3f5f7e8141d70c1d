#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Edits a folder of small clips at random, and runs one batch over it again and again.

  scripts/soak.py [--program P] [--seed N] [--files N] [--seconds S] [--jobs N]

Between runs files are added, changed, removed and renamed, and the recipe changes; runs are killed
(kill -9), interrupted (SIGTERM), or meet a full disk (where this program may mount a small file
system; otherwise that is left out, and the summary states it). Now and then a run ends in peace
and is checked: its outputs are those of a run into an empty folder, byte for byte; a run after
it processes nothing; no temporary file is left; the memory of the program has not grown. The same
seed makes the same edits. Exit code 1 where a check fails.
"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'tests/support'))
import glb  # noqa: E402

RECIPES = [
    '[[stage]]\ntype = "retime"\ntime_scale = %g\n',
    '[[stage]]\ntype = "trim"\nend_s = %g\n',
]


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.chance = random.Random(options.seed)
        self.inputs, self.outputs = folder / 'in', folder / 'disk/out'
        self.counts, self.peaks, self.faults = collections.Counter(), [], []
        self.next_number = 0
        self.inputs.mkdir()
        self.has_disk = self.mount()
        self.outputs.mkdir(parents=True)
        for _ in range(options.files):
            self.add()
        self.change_recipe()

    def mount(self):
        """A file system for the outputs that can be filled."""
        disk = self.folder / 'disk'
        disk.mkdir()
        size = max(8, 2 * self.options.files * 12 // 1024 + 8)
        command = ['mount', '-t', 'tmpfs', '-o', 'size=%dm' % size, 'soak', disk]
        return subprocess.run(command, capture_output=True).returncode == 0

    def unmount(self):
        if self.has_disk:
            subprocess.run(['umount', self.folder / 'disk'], check=True)

    # -- Edits

    def write(self, path):
        keys = self.chance.randint(2, 12)
        phase = self.chance.uniform(0, math.pi)
        times = [k / 30.0 for k in range(keys)]
        path.parent.mkdir(parents=True, exist_ok=True)
        data = glb.swinging_chain(joints=self.chance.randint(2, 5), times=times)
        value, _, binary = glb.read_bytes(data)
        value['asset']['extras'] = {'phase': phase}
        path.write_bytes(glb.assemble(value, binary))

    def files(self):
        return sorted(self.inputs.rglob('*.glb'))

    def new_path(self):
        self.next_number += 1
        return self.inputs / ('set%d' % (self.next_number % 7)) / ('clip%d.glb' % self.next_number)

    def add(self):
        self.write(self.new_path())

    def change(self):
        self.write(self.chance.choice(self.files()))

    def remove(self):
        if len(self.files()) > 2:
            self.chance.choice(self.files()).unlink()

    def rename(self):
        path = self.new_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.chance.choice(self.files()).rename(path)

    def break_file(self):
        self.chance.choice(self.files()).write_bytes(b'glTF' + bytes(20))

    def change_recipe(self):
        text = self.chance.choice(RECIPES) % self.chance.choice([0.03, 0.05, 0.06])
        (self.folder / 'recipe.toml').write_text(text)

    def edit(self):
        kinds = [self.add, self.change, self.change, self.remove, self.rename, self.break_file]
        edit = self.chance.choice(kinds)
        edit()
        self.counts['edit: ' + edit.__name__.replace('_file', '')] += 1
        if self.chance.random() < 0.02:
            self.change_recipe()
            self.counts['edit: recipe'] += 1

    # -- Runs

    def command(self, outputs, *more):
        return [self.options.program, 'batch', self.inputs, '--recursive', '--recipe',
                self.folder / 'recipe.toml', '--out-dir', outputs, '-j', str(self.options.jobs),
                '-q', *more]

    def start(self, outputs, *more):
        return subprocess.Popen(
            self.command(outputs, *more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def stop_run(self, number):
        process = self.start(self.outputs)
        # Anywhere between the first file and the end.
        time.sleep(self.chance.uniform(0.0, 1.5 * self.usual_s))
        process.send_signal(number)
        process.wait(timeout=120)
        self.counts['run: signal %d' % number] += 1
        if number == signal.SIGTERM and process.returncode not in (0, 1, 75, -number):
            self.faults.append('SIGTERM ends a run with %d' % process.returncode)

    def fill_disk(self):
        filler = self.folder / 'disk/filler'
        try:
            with filler.open('wb') as file:
                while True:
                    file.write(bytes(4096))
        except OSError:
            pass
        # A little is left, so that some files still fit.
        os.truncate(filler, max(0, filler.stat().st_size - self.chance.randint(0, 6) * 8192))
        self.change_recipe()
        process = self.start(self.outputs)
        process.wait(timeout=600)
        if process.returncode not in (0, 1, 3):
            self.faults.append('a full disk ends a run with %d' % process.returncode)
        filler.unlink()
        self.counts['run: disk full'] += 1

    def peaceful_run(self, outputs, *more):
        start = time.monotonic()
        process = self.start(outputs, *more)
        peak_mb = 0
        while process.poll() is None:
            peak_mb = max(peak_mb, self.peak_mb(process.pid))
            time.sleep(0.02)
        self.counts['run: whole'] += 1
        return process.returncode, peak_mb, time.monotonic() - start

    @staticmethod
    def peak_mb(pid):
        """Of a running program. What wait4() gives has the memory of this script in it: a program
        starts as a copy of the one that starts it."""
        try:
            status = pathlib.Path('/proc/%d/status' % pid).read_text()
        except OSError:
            return 0
        lines = [line for line in status.splitlines() if line.startswith('VmHWM:')]
        return int(lines[0].split()[1]) // 1024 if lines else 0

    @staticmethod
    def content(folder):
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob('*'))
            if path.is_file() and '.clipmill' not in path.parts
        }

    def check(self):
        code, peak_mb, seconds = self.peaceful_run(self.outputs)
        self.usual_s = 0.5 * (self.usual_s + seconds)
        self.peaks.append(peak_mb)
        fresh = self.folder / 'fresh'
        shutil.rmtree(fresh, ignore_errors=True)
        fresh_code, _, _ = self.peaceful_run(fresh)
        if code not in (0, 1) or code != fresh_code:
            self.faults.append('a run ends with %s, a fresh one with %s' % (code, fresh_code))
        mine, expected = self.content(self.outputs), self.content(fresh)
        for name, data in expected.items():
            if mine.get(name) != data:
                self.faults.append('%s differs from that of a fresh run' % name)
        # Outputs of inputs that are gone stay; anything else that is there too is left over.
        for name in mine.keys() - expected.keys():
            if name.endswith('.tmp') or not name.endswith('.glb'):
                self.faults.append('%s is left over' % name)
        report = self.folder / 'report.json'
        self.peaceful_run(self.outputs, '--report', report)
        clips = json.loads(report.read_text())
        known = clips['run']['from_record']
        # Files with errors are recorded too.
        if known != len(clips['jobs']):
            self.faults.append('%d files, %d of them from the record' % (len(clips['jobs']), known))
        self.counts['checks'] += 1
        self.counts['clips checked'] += len(expected)

    def run(self):
        self.usual_s = 0.5
        end = time.monotonic() + self.options.seconds
        while True:
            self.check()
            if time.monotonic() > end:
                break
            for _ in range(self.chance.randint(1, 6)):
                for _ in range(self.chance.randint(1, 12)):
                    self.edit()
                kind = self.chance.random()
                if kind < 0.5:
                    self.stop_run(signal.SIGKILL)
                elif kind < 0.75:
                    self.stop_run(signal.SIGTERM)
                elif self.has_disk:
                    self.fill_disk()

    def report(self):
        if not self.has_disk:
            print('no disk to fill: this program may not mount one')
        for name in sorted(self.counts):
            print('%7d  %s' % (self.counts[name], name))
        print('largest memory of a run: first %d MB, last %d MB' % (self.peaks[0], self.peaks[-1]))
        if self.peaks[-1] > 1.5 * self.peaks[0] + 32:
            self.faults.append('memory has grown')
        for fault in self.faults[:50]:
            print('FAULT: ' + fault)
        print('%d faults, seed %d' % (len(self.faults), self.options.seed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--program', default=str(ROOT / 'build/release/tools/clipmill/clipmill'))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--files', type=int, default=300)
    parser.add_argument('--seconds', type=float, default=60.0)
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix='clipmill-soak-') as name:
        soak = Soak(options, pathlib.Path(name))
        try:
            soak.run()
        finally:
            soak.unmount()
        soak.report()
    return 1 if soak.faults else 0


if __name__ == '__main__':
    sys.exit(main())
