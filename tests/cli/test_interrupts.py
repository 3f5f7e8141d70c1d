# SPDX-License-Identifier: MIT
"""A signal ends each stage and each command soon, whatever it is at, and nothing is left."""
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest, is_sanitized

sys.path.insert(0, str(ROOT / 'scripts'))
import random_runs  # noqa: E402

# Processor time that a process may take after the signal [s]. It does not depend on what else the
# machine does. Each of these runs takes five to a hundred times as long without the signal.
LIMIT = 8.0 if is_sanitized() else 1.0
TICKS = os.sysconf('SC_CLK_TCK')

LONG, BODY, VOLUME = 'long.glb', 'body.glb', 'volume.glb'
# Arguments but for -o, and the processor times at which the signal comes [s].
STAGES = [
    (['trim', LONG, '--end-s', '3000'], [1.5]),
    (['retime', LONG, '--time-scale', '1.1'], [1.5]),
    (['mirror', LONG], [1.5]),
    (['loop', LONG], [1.0, 3.0, 5.0]),
    (['root', LONG, '--root-motion', 'in_place'], [1.5]),
    (['stretch', LONG, '--distance-m', '5000', '--feet', 'lock'], [1.5, 3.0, 5.0]),
    (['blend', LONG, '--with', 'Clip'], [1.5, 3.0, 5.0]),
    (['concat', LONG, '--with', 'Clip'], [1.5, 5.0]),
    (['dynamic-bones', LONG, '--chain', 'Tail1'], [1.5]),
    (['self-collision', BODY], [1.5, 3.0]),
    (['self-collision', BODY, '--method', 'reference'], [1.0]),
    (['tet-bake', VOLUME], [1.5, 5.0]),
    (['trim', LONG, '--end-s', '300', '--clip-from', LONG], [1.5]),
]
COMMANDS = [
    (['convert', LONG, '-o', 'out/x.fbx'], [1.5, 4.0]),
    (['rename', LONG, '--to', 'New', '-o', 'out/x.fbx'], [1.5]),
    (['check', LONG], [1.5]),
    (['poses', LONG, '--fps', '30', '--json'], [1.5]),
    (['split', LONG, '-o', 'out/{clip}.fbx'], [1.5]),
]


def processor_time(pid):
    """[s], of a process that runs or has ended and was not waited for."""
    fields = pathlib.Path('/proc/%d/stat' % pid).read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS, fields[0]


class Interrupts(ProcessTest):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-interrupts-')
        cls.addClassCleanup(holder.cleanup)
        cls.inputs = pathlib.Path(holder.name)
        made = random_runs.Motion(random.Random(1), 'walk')
        made.frames, made.fps = 100000, 30.0
        (cls.inputs / LONG).write_bytes(made.file())
        for sample, name, seconds in (
            ('self-collision/humanoid_fat.glb', BODY, 300), ('tet-bake/humanoid.glb', VOLUME, 120),
        ):
            subprocess.run(
                [PROGRAM, 'retime', SAMPLES / sample, '-o', cls.inputs / name, '-q',
                 '--duration-s', str(seconds)],
                check=True, timeout=300,
            )

    def run_until(self, arguments, start_s):
        """Ends a run after so much processor time; returns how much it took from then on, and None
        where it had ended before."""
        for old in self.folder.glob('**/*'):
            if old.is_file():
                old.unlink()
        (self.folder / 'out').mkdir(exist_ok=True)
        arguments = [self.inputs / a if a in (LONG, BODY, VOLUME) else a for a in arguments]
        with open(os.devnull, 'wb') as nothing:
            process = subprocess.Popen(
                [PROGRAM, *map(str, arguments), '-j', '1'] if arguments[0] in self.threaded
                else [PROGRAM, *map(str, arguments)],
                cwd=self.folder, stdout=nothing, stderr=subprocess.PIPE,
            )
        try:
            at_s, state = 0.0, 'R'
            while at_s < start_s and state != 'Z':
                time.sleep(0.02)
                at_s, state = processor_time(process.pid)
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            process.send_signal(signal.SIGTERM)
            _, text = process.communicate(timeout=300)
        finally:
            process.kill()
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        whole = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        if process.returncode == 0:
            return None
        self.assertEqual(process.returncode, 75, text)
        self.assertIn(b'interrupted', text)
        self.assertEqual(self.files(), [])
        return whole - at_s

    threaded = {'trim', 'retime', 'mirror', 'loop', 'root', 'stretch', 'blend', 'concat', 'rename',
                'dynamic-bones', 'self-collision', 'tet-bake', 'split'}

    def check_all(self, runs):
        for arguments, times in runs:
            for start_s in times:
                with self.subTest(command=arguments, at=start_s):
                    took_s = self.run_until(arguments, start_s)
                    while took_s is None:  # on a fast machine
                        start_s /= 2.0
                        self.assertGreater(start_s, 0.2, 'ended before the signal')
                        took_s = self.run_until(arguments, start_s)
                    self.assertLess(took_s, LIMIT)

    def test_signal_ends_each_stage_soon(self):
        self.check_all([(a + ['-o', 'out/x.glb'], times) for a, times in STAGES])

    def test_signal_ends_each_command_soon(self):
        self.check_all(COMMANDS)


if __name__ == '__main__':
    import unittest

    unittest.main()
