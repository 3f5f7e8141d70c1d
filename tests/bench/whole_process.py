# SPDX-License-Identifier: MIT
"""The whole process against FBX2glTF 0.9.7 (Autodesk's FBX SDK): time and peak memory.

  whole_process.py BAKED.fbx [REPETITIONS]

Both read the same file, one after the other, on the same machine: clipmill bakes a chain
into the clip and writes it back as FBX, FBX2glTF samples the clip at 30 frames a second and writes
it as GLB. Goals: five times as fast by the medians, peak memory below four files and 32 MB. Exit
code 1 where a goal is missed.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from clipmill_process import PROGRAM, ROOT

MODULES = pathlib.Path(os.environ.get('CLIPMILL_NODE_MODULES', ROOT / 'build/interop/node_modules'))
FBX2GLTF = MODULES / 'fbx2gltf/bin/Linux/FBX2glTF'
LEAST_RATIO = 5.0
MIB = 1 << 20
# A chain of four joints of the baked file.
RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Joint61"\n'


def measured(command, folder):
    """(wall seconds, processor seconds, peak bytes) of one run."""
    start = time.monotonic()
    with open(folder / 'log', 'w+') as log:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=folder, stdout=log, stderr=log
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            sys.exit(f'{command[0]}: exit code {process.returncode}\n{log.read()}')
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    if not FBX2GLTF.is_file():
        sys.exit(f'{FBX2GLTF}: not there; scripts/interop.sh installs it')
    with tempfile.TemporaryDirectory(prefix='clipmill-bench-') as name:
        folder = pathlib.Path(name)
        (folder / 'recipe.toml').write_text(RECIPE)
        commands = {
            'clipmill': [PROGRAM, 'run', source, '--recipe', 'recipe.toml', '-o', 'out.fbx'],
            'clipmill -j 1': [PROGRAM, 'run', source, '--recipe', 'recipe.toml', '-o', 'out.fbx']
            + ['-j', '1'],
            'FBX2glTF': [FBX2GLTF, '-b', '--anim-framerate', 'bake30', '-i', source, '-o', 'out'],
        }
        runs = {program: [] for program in commands}
        for _ in range(repetitions):
            for program, command in commands.items():
                runs[program].append(measured(command, folder))
    medians = {p: [statistics.median(column) for column in zip(*r)] for p, r in runs.items()}
    size = source.stat().st_size
    print(f'{source.name}: {size / MIB:.1f} MiB, medians of {repetitions} runs')
    for program, (wall, processor, peak) in medians.items():
        fastest = min(run[0] for run in runs[program])
        print(
            f'  {program:14} {wall * 1e3:6.0f} ms ({fastest * 1e3:.0f} at best), '
            f'processor {processor * 1e3:6.0f} ms, {peak / MIB:5.1f} MiB'
        )
    ratio, processor_ratio = (
        theirs / ours for theirs, ours in zip(medians['FBX2glTF'][:2], medians['clipmill'][:2])
    )
    peak, most = max(run[2] for run in runs['clipmill']), 4 * size + 32 * MIB
    print(f'  {ratio:.1f} times as fast (processor time {processor_ratio:.1f}), goal {LEAST_RATIO}')
    print(f'  {peak / MIB:.1f} MiB at most, goal {most / MIB:.1f}')
    return 0 if ratio >= LEAST_RATIO and peak < most else 1


if __name__ == '__main__':
    sys.exit(main())
