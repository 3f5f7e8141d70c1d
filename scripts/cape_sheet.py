#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the contact sheet of a cape: docs/media/cape-skin.png.

    scripts/cape_sheet.py PROGRAM DOCS

The sample character gets a cape of five chains and a clip in which it bows and crouches. The cape
is added by addrig.py in the folder named by CLIPMILL_ORACLE, or ../shared/oracle/dyn beside the
project; without it, nothing is rendered.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "samples/dynamic-bones/humanoid.glb"
CAPE_CHAINS = 5
CAPE_JOINTS = 8
FPS = 30
END_S = 4.4


def main():
    program, docs = sys.argv[1], Path(sys.argv[2])
    oracle = Path(os.environ.get("CLIPMILL_ORACLE", ROOT.parent / "shared/oracle/dyn"))
    if not (oracle / "addrig.py").is_file():
        print("skipped: needs addrig.py (set CLIPMILL_ORACLE to its folder)")
        return
    sys.path.insert(0, str(oracle))
    with tempfile.TemporaryDirectory() as folder:
        bowing, caped = Path(folder, "bowing.glb"), Path(folder, "caped.glb")
        baked = Path(folder, "baked.glb")
        add_clip(SAMPLE, bowing)
        add_cape(bowing, caped)
        options = ["--auto", "--colliders", "skin", "--clip", "Bow", "-q"]
        subprocess.run([program, "dynamic-bones", caped, "-o", baked, *options], check=True)
        sheet = docs / "media/cape-skin.png"
        options = ["--clip", "Bow", "--view", "side", "--frames", "6", "-q"]
        subprocess.run([program, "preview", caped, baked, "--sheet", sheet, *options], check=True)


def smooth(share):
    share = min(1.0, max(0.0, share))
    return share * share * (3.0 - 2.0 * share)


def angles_at(time_s):
    """Rotations about the x axis of the joints' parents [rad]."""
    bow = smooth((time_s - 0.2) / 0.6) * (1.0 - smooth((time_s - 1.5) / 0.6))
    crouch = smooth((time_s - 2.2) / 0.5) * (1.0 - smooth((time_s - 3.2) / 0.5))
    legs = {}
    for side in ("Left", "Right"):
        legs[side + "UpLeg"] = -1.15 * crouch
        legs[side + "Leg"] = 1.75 * crouch
        legs[side + "Foot"] = -0.6 * crouch
    return {"Spine": 0.5 * bow + 0.3 * crouch, "Spine1": 0.45 * bow, "Spine2": 0.35 * bow, **legs}


def add_clip(source, target):
    """Adds the clip "Bow" to a glTF file, in place of all others."""
    import addrig
    import numpy as np

    document, data = addrig.load(str(source))
    scene = addrig.Gltf(str(source))
    times = np.arange(int(END_S * FPS) + 1) / FPS
    clip = {"name": "Bow", "samplers": [], "channels": []}
    column = times.astype("<f4").reshape(-1, 1)
    time_accessor = addrig.addacc(document, data, column, 5126, "SCALAR", True)

    def add(node, path, kind, values):
        accessor = addrig.addacc(document, data, np.array(values, "<f4"), 5126, kind)
        clip["channels"].append({"sampler": len(clip["samplers"]),
                                 "target": {"node": node, "path": path}})
        clip["samplers"].append({"input": time_accessor, "output": accessor})

    for name in angles_at(0.0):
        node = addrig.idx(scene, name)
        rest = np.array(scene.nodes[node].get("rotation", (0, 0, 0, 1)), float)
        half = [angles_at(time)[name] / 2 for time in times]
        add(node, "rotation", "VEC4", [rotated(rest, angle) for angle in half])
    hips = addrig.idx(scene, "Hips")
    rest = np.array(scene.nodes[hips]["translation"], float)
    crouches = [-angles_at(time)["LeftUpLeg"] / 1.15 for time in times]
    add(hips, "translation", "VEC3", [rest + [0, -0.32 * c, -0.12 * c] for c in crouches])
    document["animations"] = [clip]
    addrig.save(str(target), document, data)


def rotated(rest, half_angle):
    """A quaternion x, y, z, w after a rotation about x, by twice the angle."""
    import numpy as np

    s, c = np.sin(half_angle), np.cos(half_angle)
    x, y, z, w = rest
    return [c * x + s * w, c * y - s * z, c * z + s * y, c * w - s * x]


def add_cape(source, target):
    """A sheet that hangs behind the shoulders, clear of the skirt."""
    import addrig
    import numpy as np

    scene = addrig.Gltf(str(source))
    chest = scene.worlds({})[addrig.idx(scene, "Spine2")][:3, 3]
    chains = []
    for chain in range(CAPE_CHAINS):
        side = -1.0 + 2.0 * chain / (CAPE_CHAINS - 1)
        points = []
        for k in range(CAPE_JOINTS):
            x, z = 0.17 * side * (1 + 0.05 * k), chest[2] - 0.15 - 0.035 * k
            points.append(np.array([x, 1.36 - 0.12 * k, z]))
        chains.append((f"cape{chain}", "Spine2", points, 0.01))
    names = [chain[0] for chain in chains]
    addrig.add(str(source), str(target), chains, [("cape", names, False)])


if __name__ == "__main__":
    main()
