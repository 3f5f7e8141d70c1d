# SPDX-License-Identifier: MIT
"""Draws heights and speeds of heels, balls and tips of the feet along a clip, for labels by hand.
Numpy and the corpus' own evaluator alone; the program under test has no part in it.

  draw_contacts.py FILE CLIP OUT.png LEFT_ANKLE RIGHT_ANKLE [LEFT_TOES RIGHT_TOES] > table.txt

The points are the lowest of the skin at the back, before the tip and at the tip of the foot;
without a skin (BVH) they are the ankle, the toe joint and the end of the toes. Upper half of each
panel: heights of each over its lowest, 0 to 0.2 of the scale, which is three times the range of
height of all. Lower half: velocity along the main axis of the feet's motion, centre line 0, 4
scales a second. Red: heel, blue: ball, green: tip; a vertical line is every fifth frame (30 a
second), a darker one every tenth. The table has the same numbers in thousandths.
"""
import pathlib
import struct
import sys
import zlib

import numpy as np

from joint_paths import GltfPaths

FPS = 30
PER_FRAME, PANEL = 14, 220
COLORS = (200, 30, 30), (30, 30, 200), (20, 150, 20)


def skin_patches(file, ankle, toes):
    """Points in the space of their meshes, (joints, weights) and skins: all that follows a foot."""
    foot = {file.names.index(n) for n in (ankle, toes) if n}
    grown = True
    while grown:
        more = {i for i, p in enumerate(file.file.parent) if p in foot} - foot
        grown = bool(more)
        foot |= more
    points, weights, skins = [], [], []
    for node in file.file.nodes:
        if 'mesh' not in node or 'skin' not in node:
            continue
        skin = file.file.json['skins'][node['skin']]
        inside = np.array([j in foot for j in skin['joints']])
        for primitive in file.file.json['meshes'][node['mesh']]['primitives']:
            at = primitive['attributes']
            joints = file.file.accessor(at['JOINTS_0']).astype(int)
            share = np.array(file.file.accessor(at['WEIGHTS_0']), float)
            mine = (share * inside[joints]).sum(axis=1) > 0.6
            points += list(np.array(file.file.accessor(at['POSITION']), float)[mine])
            weights += list(zip(joints[mine], share[mine]))
            skins += [skin] * int(mine.sum())
    return points, weights, skins


def skinned(file, worlds, points, weights, skins):
    """times x points x 3."""
    result = []
    for point, (joints, share), skin in zip(points, weights, skins):
        bind = file.file.accessor(skin['inverseBindMatrices']).reshape(-1, 4, 4).transpose(0, 2, 1)
        at = np.append(point, 1.0)
        moved = sum(
            s * (worlds[skin['joints'][j]] @ (bind[j] @ at)) for j, s in zip(joints, share) if s > 0
        )
        result.append(moved[:, :3] / share.sum())
    return np.array(result).transpose(1, 0, 2)


def gltf_points(path, clip, ankle, toes, times):
    """Paths of heel, ball and tip: times x 3 each."""
    file = GltfPaths(path)
    points, weights, skins = skin_patches(file, ankle, toes)
    rest = {}
    for i, node in enumerate(file.file.nodes):
        chain, at = np.eye(4), i
        while at >= 0:
            chain = file.file.local(at, {}) @ chain
            at = file.file.parent[at]
        rest[i] = chain[None]
    still = skinned(file, rest, points, weights, skins)[0]
    centre = rest[file.names.index(ankle)][0, :3, 3]
    ahead = still.mean(axis=0) - centre
    ahead[1] = 0.0
    along = (still - centre) @ (ahead / np.linalg.norm(ahead))
    share = (along - along.min()) / np.ptp(along)
    paths = []
    for region in (share <= 0.25, (share >= 0.55) & (share <= 0.7), share >= 0.9):
        low = still[region][:, 1].min() + 0.02 * np.ptp(still[:, 1])
        chosen = [k for k in np.flatnonzero(region) if still[k, 1] <= low][:8]
        part = [[x[k] for k in chosen] for x in (points, weights, skins)]
        paths.append(skinned(file, file.worlds(clip, times), *part).mean(axis=1))
    return paths


def bvh_points(path, ankle, toes, times):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'corpus'))
    from test_bvh import BvhFile

    file = BvhFile(pathlib.Path(path))
    positions = file.positions()[..., [0, 2, 1]] * [1, 1, -1]  # the corpus' file has z up
    own = np.arange(len(positions)) * file.frame_s
    return [
        np.stack([np.interp(times, own, positions[:, file.names.index(n), k]) for k in range(3)], 1)
        for n in (ankle, toes, toes + '_End')
    ]


def line(image, x0, y0, x1, y1, color):
    for s in np.linspace(0.0, 1.0, 2 + int(max(abs(x1 - x0), abs(y1 - y0)) * 2)):
        x, y = round(x0 + s * (x1 - x0)), round(y0 + s * (y1 - y0))
        if 0 <= y < image.shape[0] and 0 <= x < image.shape[1]:
            image[y : y + 2, x] = color


def draw(image, top, heights, speeds, color):
    half = PANEL // 2
    for k in range(1, len(heights)):
        x = (k - 1) * PER_FRAME / 4, k * PER_FRAME / 4
        high = [top + half - 4 - min(h / 0.2, 1) * (half - 8) for h in heights[k - 1 : k + 1]]
        middle = top + half + half / 2
        fast = [middle - np.clip(v / 4, -1, 1) * half / 2 for v in speeds[k - 1 : k + 1]]
        line(image, x[0], high[0], x[1], high[1], color)
        line(image, x[0], fast[0], x[1], fast[1], color)


def write_png(path, image):
    def chunk(kind, data):
        check = struct.pack('>I', zlib.crc32(kind + data))
        return struct.pack('>I', len(data)) + kind + data + check

    raw = b''.join(b'\0' + row.tobytes() for row in image)
    head = struct.pack('>IIBBBBB', image.shape[1], image.shape[0], 8, 2, 0, 0, 0)
    body = chunk(b'IHDR', head) + chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b'')
    pathlib.Path(path).write_bytes(b'\x89PNG\r\n\x1a\n' + body)


def main(path, clip, out, *joints):
    sides = list(zip(joints[:2], joints[2:] or (None, None)))
    is_bvh = path.endswith('.bvh')
    start, end = (0.0, float(clip)) if is_bvh else GltfPaths(path).span(clip)
    times = np.arange(round((end - start) * FPS) * 4 + 1) / (4 * FPS) + start
    feet = []
    for ankle, toes in sides:
        if is_bvh:
            feet += bvh_points(path, ankle, toes, times)
        else:
            feet += gltf_points(path, clip, ankle, toes, times)
    every = np.array(feet)
    scale = float(np.percentile(every[..., 1], 99) - every[..., 1].min()) * 3
    floor = [np.percentile(f[:, 1], 3) for f in feet]
    velocity = [np.gradient(f, times, axis=0) for f in feet]
    flat = np.concatenate(velocity)[:, [0, 2]]
    axis = np.linalg.eigh(flat.T @ flat)[1][:, 1]
    image = np.full((2 * PANEL + 10, len(times) * PER_FRAME // 4 + 8, 3), 255, np.uint8)
    for frame in range(0, len(times) // 4 + 1, 5):
        image[:, frame * PER_FRAME] = 150 if frame % 10 == 0 else 215
    for k, (f, v) in enumerate(zip(feet, velocity)):
        top = (k // 3) * (PANEL + 10)
        image[top + PANEL * 3 // 4] = 180
        draw(image, top, (f[:, 1] - floor[k]) / scale, v[:, [0, 2]] @ axis / scale, COLORS[k % 3])
    write_png(out, image)
    print('frame | left heel: height, along, aside | ball | tip | right heel | ball | tip')
    for i in range(0, len(times), 4):
        row = [f'{i // 4:3d}']
        for f, v, low in zip(feet, velocity, floor):
            flat = v[i, [0, 2]]
            aside = flat @ [-axis[1], axis[0]]
            values = ((f[i, 1] - low) / scale, flat @ axis / scale, aside / scale)
            row.append(' '.join(f'{1e3 * x:6.0f}' for x in values))
        print(' | '.join(row))


if __name__ == '__main__':
    main(*sys.argv[1:])
