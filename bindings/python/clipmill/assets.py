# SPDX-License-Identifier: MIT
"""Files as NumPy arrays."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Iterable, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from clipmill import _clipmill
from clipmill._clipmill import Clip as Clip, Mesh as Mesh

PathLike = Union[str, 'os.PathLike[str]']


class Saved(NamedTuple):
    """What `Asset.save` wrote."""

    tracks: int
    keys: int
    warnings: list[str]


def _is_metric(space: str) -> bool:
    if space not in ('metric', 'file'):
        raise ValueError("space is 'metric' or 'file'")
    return space == 'metric'


class Motion:
    """A clip on its frames, by `Asset.sample`. F frames, N nodes, W morph weights.

    `translations` (F, N, 3), `rotations` (F, N, 4; x, y, z, w), `scales` (F, N, 3) and `weights`
    (F, W) are views of one memory, relative to the parent of each node, in the units of the file.
    They may be written: `Asset.save` writes the tracks that differ from the clip. Rotations need
    not have unit length.
    """

    def __init__(self, native: _clipmill.Motion):
        self._native = native

    @property
    def clip(self) -> str:
        """Name of the clip."""
        return self._native.clip

    @property
    def fps(self) -> float:
        """Frame rate [Hz]. The last frame is the end of the clip, also between two frames."""
        return self._native.fps

    @property
    def times(self) -> NDArray[np.float64]:
        """Time of each frame [s], (F,)."""
        return self._native.times

    @property
    def translations(self) -> NDArray[np.float64]:
        """(F, N, 3), in the units of the file."""
        return self._native.translations

    @property
    def rotations(self) -> NDArray[np.float64]:
        """(F, N, 4): x, y, z, w."""
        return self._native.rotations

    @property
    def scales(self) -> NDArray[np.float64]:
        """(F, N, 3)."""
        return self._native.scales

    @property
    def weights(self) -> NDArray[np.float64]:
        """Morph weights of all nodes in a row, (F, W)."""
        return self._native.weights

    @property
    def node_names(self) -> list[str]:
        return self._native.node_names

    @property
    def parents(self) -> NDArray[np.int32]:
        """Index of the parent of each node, (N,); -1 for roots. Parents come before children."""
        return self._native.parents

    def worlds(self, space: str = 'metric') -> NDArray[np.float64]:
        """world_from_node of every node at every frame, (F, N, 4, 4), as the arrays are now.

        `space`: 'metric' (metres, y up) or 'file'.
        """
        return self._native.worlds(_is_metric(space))

    def node(self, name: str) -> int:
        """Index of the first node with that name."""
        return self.node_names.index(name)

    def __repr__(self) -> str:
        return f'<clipmill.Motion {self.clip!r}: {len(self.times)} frames>'


class Asset:
    """A loaded file. Arrays of it are views without copies, and cannot be written."""

    def __init__(self, native: _clipmill.Asset):
        self._native = native

    @property
    def path(self) -> pathlib.Path:
        return pathlib.Path(self._native.path)

    @property
    def format(self) -> str:
        """'GLB', 'glTF', 'FBX 7.4 binary', .."""
        return self._native.format

    @property
    def node_names(self) -> list[str]:
        """Names of the N nodes; they may repeat."""
        return self._native.node_names

    @property
    def parents(self) -> NDArray[np.int32]:
        """Index of the parent of each node, (N,); -1 for roots. Parents come before children."""
        return self._native.parents

    @property
    def rest_translations(self) -> NDArray[np.float64]:
        """Of the file without animation, relative to the parents, (N, 3)."""
        return self._native.rest_translations

    @property
    def rest_rotations(self) -> NDArray[np.float64]:
        """Likewise, (N, 4): x, y, z, w."""
        return self._native.rest_rotations

    @property
    def rest_scales(self) -> NDArray[np.float64]:
        """Likewise, (N, 3)."""
        return self._native.rest_scales

    def rest_worlds(self, space: str = 'metric') -> NDArray[np.float64]:
        """world_from_node of every node of the file without animation, (N, 4, 4).

        `space`: 'metric' (metres, y up) or 'file'.
        """
        return self._native.rest_worlds(_is_metric(space))

    @property
    def metric_from_file(self) -> NDArray[np.float64]:
        """The matrix (4, 4) from the file's units and axes to metres, y up."""
        return self._native.metric_from_file

    @property
    def clips(self) -> list[Clip]:
        """Clips with `name`, `index`, `start_s`, `end_s` and `fps`."""
        return self._native.clips

    @property
    def meshes(self) -> list[Mesh]:
        """Meshes with `name`, `node`, `positions` (V, 3), `normals`, `uvs`, `triangles` (T, 3),
        `influences` (starts, joints, weights: vertex v has those from starts[v] to starts[v + 1]),
        `joints` (nodes of the skin), `joint_from_bind` (J, 4, 4) and `morphs` (name: deltas).
        """
        return self._native.meshes

    def info(self) -> dict[str, Any]:
        """What `clipmill info --json` prints: nodes, clips, roles of the humanoid and so on."""
        found: dict[str, Any] = json.loads(self._native.info_json())
        return found

    def clip(self, name: str | int) -> Clip:
        """The clip of that name or index. LookupError where there is none."""
        for clip in self.clips:
            if name in (clip.name, clip.index):
                return clip
        raise LookupError(f'no clip {name!r}; the file has {[c.name for c in self.clips]}')

    def sample(self, clip: str | int | Clip = 0, fps: float | None = None) -> Motion:
        """The motion of a clip on its own frames, or at `fps`."""
        chosen = self.clip(clip) if isinstance(clip, (str, int)) else clip
        return Motion(_clipmill.sample(self._native, chosen.index, fps or 0.0))

    def save(
        self,
        path: PathLike,
        motions: Motion | Iterable[Motion] = (),
        keys: str = 'reduced',
        key_tolerance_mm: float = 0.1,
    ) -> Saved:
        """Writes the file with what was changed in motions of it; everything else stays.

        `keys`: 'reduced' within `key_tolerance_mm` at the tips, or 'all' for one a frame. Another
        format (by the extension) is a conversion. Raises Error.
        """
        if keys not in ('reduced', 'all'):
            raise ValueError("keys is 'reduced' or 'all'")
        listed = [motions] if isinstance(motions, Motion) else list(motions)
        natives = [motion._native for motion in listed]
        return Saved(
            *_clipmill.save(
                self._native, os.fspath(path), natives, keys == 'all', key_tolerance_mm
            )
        )

    def __repr__(self) -> str:
        counts = f'{len(self.parents)} nodes, {len(self.clips)} clips'
        return f'<clipmill.Asset {str(self.path)!r}: {counts}>'


def load(path: PathLike, meshes: bool = True) -> Asset:
    """Reads a file; its content identifies its format. Raises Error."""
    return Asset(_clipmill.load(os.fspath(path), meshes))
