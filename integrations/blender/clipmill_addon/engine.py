# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The program clipmill as a process: where it is, its schema, and runs in the background. Needs
Python alone."""
import json
import os
import queue
import shutil
import subprocess
import threading

# No console window on Windows.
_FLAGS = getattr(subprocess, 'CREATE_NO_WINDOW', 0)


class EngineError(Exception):
    """What an artist is shown: one sentence with the fault and its remedy."""


def find(path):
    """The program at `path`, or the one on PATH where `path` is empty; None where there is none."""
    if path:
        return path if os.path.isfile(path) else shutil.which(path)
    return shutil.which('clipmill')


def read(program, *arguments):
    """What a quick command of the program prints on stdout."""
    try:
        process = subprocess.run(
            [program, *arguments], capture_output=True, timeout=60, creationflags=_FLAGS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f'{program} does not run: {error}') from error
    if process.returncode != 0:
        raise EngineError(error_text(process.stderr.decode(errors='replace').splitlines()))
    return process.stdout.decode()


def schema(program):
    """The JSON Schema of recipes."""
    return json.loads(read(program, '--schema'))


def error_text(lines):
    """The error among lines of stderr."""
    for line in lines:
        if line.startswith('clipmill: error: '):
            return line[len('clipmill: error: ') :]
    return lines[-1] if lines else 'clipmill ended without a message'


class Run:
    """One process of the program. `poll` is called until it returns False."""

    def __init__(self, arguments):
        self.step, self.done, self.total = 'load', 0, 0
        self.lines, self.stdout = [], b''
        self._events = queue.SimpleQueue()
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                creationflags=_FLAGS,
            )
        except OSError as error:
            raise EngineError(f'{arguments[0]} does not run: {error}') from error
        self._threads = [
            threading.Thread(target=self._read_stderr, daemon=True),
            threading.Thread(target=self._read_stdout, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_stderr(self):
        for line in self._process.stderr:
            self._events.put(line.decode(errors='replace').rstrip())

    def _read_stdout(self):
        self.stdout = self._process.stdout.read()

    def poll(self):
        """Takes in the progress; whether the process still runs."""
        is_running = self._process.poll() is None
        if not is_running:
            for thread in self._threads:
                thread.join()
        while not self._events.empty():
            self._take(self._events.get())
        return is_running

    def _take(self, line):
        if not line.startswith('{"step"'):
            self.lines.append(line)
            return
        event = json.loads(line)
        self.step, self.done, self.total = event['step'], event['done'], event['total']

    def wait(self):
        """Blocks until the process has ended."""
        self._process.wait()
        self.poll()

    def cancel(self):
        """Ends the process; it writes nothing then."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.poll()

    def check(self, *allowed):
        """Raises EngineError unless the process ended with 0 or one of `allowed`."""
        if self._process.returncode not in (0, *allowed):
            raise EngineError(error_text(self.lines))
