#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws close-ups of tet-bake: docs/media/tet-bake-limbs.png and docs/media/tet-bake-trunk.png.

    scripts/tet_bake_sheet.py PROGRAM DOCS

The character has one closed skin on the skeleton of the sample (tests/support/one_surface.py). Each
close-up has a clip that starts in an extreme pose, holds it and returns to the bind pose. All clips
are baked in one run with the default settings. Prints the least volume of a limb in each clip.
Needs numpy.
"""
import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import gltf_edit
import one_surface
import png

CHARACTER = ROOT / "samples/tet-bake/humanoid.glb"
FPS = 30
HOLD_S, END_S = 0.2, 1.0
LEFT, UP, FRONT = (1, 0, 0), (0, 1, 0), (0, 0, 1)
ARM = (0.765, -0.643, 0.0)  # direction of the left arm in the bind pose
ELBOW = (-0.643, -0.765, 0.0)  # axis that bends the left elbow forward

# A pose: joint, then rotations about axes of the bind pose [deg], the first one first.
POSES = {
    "Knee": {"LeftUpLeg": [(LEFT, -70)], "LeftLeg": [(LEFT, 140)]},
    "Elbow": {"LeftForeArm": [(FRONT, 135)]},
    "Wrist": {"LeftHand": [(ARM, 110), (ELBOW, 60)]},
    "Neck": {"Neck": [(UP, 30)], "Head": [(LEFT, 20), (UP, 50)]},
    "Crotch": {
        "LeftUpLeg": [(LEFT, -75), (UP, 40)],
        "RightUpLeg": [(LEFT, -75), (UP, -40)],
        "LeftLeg": [(LEFT, 100)],
        "RightLeg": [(LEFT, 100)],
    },
    "Seat": {
        "LeftArm": [(FRONT, 100)],
        "RightArm": [(FRONT, -100)],
        "LeftUpLeg": [(LEFT, -115)],
        "RightUpLeg": [(LEFT, -115)],
        "LeftLeg": [(LEFT, 110)],
        "RightLeg": [(LEFT, 110)],
    },
    "Armpit": {
        "LeftShoulder": [(FRONT, 20)],
        "RightShoulder": [(FRONT, -20)],
        "LeftArm": [(FRONT, 100)],
        "RightArm": [(FRONT, -100)],
    },
    "Shoulder": {"LeftShoulder": [(UP, -15)], "LeftArm": [(FRONT, 40), (UP, -115)]},
}
# A close-up: joint, centre of the view relative to it and radius of the view [m], direction.
SHEETS = {
    "tet-bake-limbs.png": {
        "Knee": ("LeftLeg", (0, 0, 0), 0.15, "side"),
        "Elbow": ("LeftForeArm", (0, 0, 0), 0.12, "front"),
        "Wrist": ("LeftForeArm", (0.2, -0.17, 0), 0.1, "front"),
        "Neck": ("Neck", (0, 0.03, 0), 0.16, "three-quarter"),
    },
    "tet-bake-trunk.png": {
        "Crotch": ("Hips", (0, -0.05, 0.05), 0.24, "front"),
        "Seat": ("Hips", (0, -0.05, 0), 0.24, "side"),
        "Armpit": ("Spine2", (0.15, 0.1, 0), 0.2, "front"),
        "Shoulder": ("Spine2", (0.15, 0.1, 0), 0.2, "three-quarter"),
    },
}


def main():
    program, docs = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        document = one_surface.build(CHARACTER)
        for clip, pose in POSES.items():
            add_clip(document, clip, pose)
        document.write(folder / "posed.glb")
        report = folder / "report.json"
        options = ["-o", folder / "baked.glb", "--report", report, "-q"]
        subprocess.run([program, "tet-bake", folder / "posed.glb", *options], check=True)
        print_volumes(json.loads(report.read_text()))
        (docs / "media").mkdir(exist_ok=True)
        for sheet, views in SHEETS.items():
            columns = [close_up(program, folder, clip, *view) for clip, view in views.items()]
            image = side_by_side(columns)
            # Odd values take four fifths of the bytes and look the same.
            write_png(docs / "media" / sheet, image | 1)


def print_volumes(report):
    for clip in report["clips"]:
        metrics = clip["stages"][0]["metrics"]
        least = [metrics[of]["min_limb_volume_percent"] for of in ("before", "after")]
        print("%-9s least limb volume %.0f %%, baked %.0f %%" % (clip["clip"], *least))


def share_at(time_s):
    u = min(1.0, max(0.0, (END_S - time_s) / (END_S - HOLD_S)))
    return u * u * (3.0 - 2.0 * u)


def add_clip(document, name, pose):
    times = np.arange(round(END_S * FPS) + 1) / FPS
    rotations = {}
    for joint, steps in pose.items():
        rotations[joint] = []
        for time in times:
            rotation = np.array((0.0, 0.0, 0.0, 1.0))
            for axis, angle in steps:
                own = gltf_edit.about(axis, share_at(time) * angle)
                rotation = gltf_edit.product(own, rotation)
            rotations[joint].append(rotation)
    document.add_clip(name, times, rotations)


def close_up(program, folder, clip, joint, centre, radius, view):
    """The image of a clip's first frame, plain skinning above the bake."""
    shown = []
    for source, title in (("posed.glb", "plain.glb"), ("baked.glb", "bake.glb")):
        document = gltf_edit.Document(folder / source)
        document.add_markers("View", joint, centre, radius)
        document.write(folder / title)
        shown.append(folder / title)
    image = folder / "close-up.png"
    options = ["--clip", clip, "--focus", "View", "--view", view, "--frames", "1", "-q"]
    subprocess.run([program, "preview", *shown, "--sheet", image, *options], check=True)
    width, height, data = png.pixels(image)
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)


def side_by_side(images):
    height = max(len(image) for image in images)
    padded = [np.pad(i, ((0, height - len(i)), (0, 0), (0, 0)), mode="edge") for i in images]
    return np.concatenate(padded, axis=1)


def write_png(path, image):
    """8-bit RGB, each line with the filter that leaves the least sum (PNG 1.2, section 9.6)."""
    height, width, _ = image.shape
    padded = np.pad(image.astype(int), ((1, 0), (1, 0), (0, 0)))
    own, left, above, corner = padded[1:, 1:], padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    near = np.abs(left + above - corner - np.stack([left, above, corner])).argmin(axis=0)
    paeth = np.choose(near, [left, above, corner])
    guesses = [np.zeros_like(own), left, above, (left + above) // 2, paeth]
    lines = np.stack([(own - guess) % 256 for guess in guesses]).reshape(5, height, -1)
    kinds = np.minimum(lines, 256 - lines).sum(axis=2).argmin(axis=0)
    best = lines[kinds, np.arange(height)]
    lines = np.concatenate([kinds[:, None], best], axis=1).astype(np.uint8)
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n"
    for kind, body in parts:
        data += len(body).to_bytes(4, "big") + kind + body
        data += zlib.crc32(kind + body).to_bytes(4, "big")
    path.write_bytes(data)


if __name__ == "__main__":
    main()
