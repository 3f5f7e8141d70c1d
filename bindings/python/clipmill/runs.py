# SPDX-License-Identifier: MIT
"""What the command line does."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Callable, Mapping, Sequence, Union

from clipmill import _clipmill
from clipmill.assets import Asset, PathLike
from clipmill.stages import Stage

Recipe = Union[Mapping[str, Any], str, 'os.PathLike[str]']
Progress = Callable[[str, int, int], None]


def _parsed(text: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def _path_of(source: Asset | PathLike) -> str:
    return os.fspath(source.path if isinstance(source, Asset) else source)


def _split(recipe: Recipe) -> tuple[str, list[tuple[int, str, Stage]]]:
    """The text of a recipe without its stages in Python, and those with their positions."""
    if isinstance(recipe, os.PathLike):
        return pathlib.Path(recipe).read_text(encoding='utf-8'), []
    if isinstance(recipe, str):
        is_text = '\n' in recipe or '=' in recipe or recipe.lstrip().startswith('{')
        return (recipe if is_text else pathlib.Path(recipe).read_text(encoding='utf-8')), []
    listed: list[dict[str, Any]] = []
    own: list[tuple[int, str, Stage]] = []
    for entry in recipe.get('stage', []):
        if isinstance(entry, Stage):
            own.append((len(listed), entry.name, entry))
        else:
            listed.append(dict(entry))
    return json.dumps({**recipe, 'stage': listed}), own


def run(
    source: Asset | PathLike,
    recipe: Recipe,
    output: PathLike,
    *,
    clips: Sequence[str] = (),
    threads: int = 0,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Runs the stages of a recipe on a file, writes `output`, and returns the report.

    `recipe`: a dictionary as in JSON recipes, whose list `stage` may have stages in Python too; a
    path; or text in TOML or JSON. The bytes written are those of the command line. An Asset stands
    for its file on disk. `progress(step, done, total)` is called from another thread; what it
    raises ends the run. KeyboardInterrupt ends it too, and nothing is written. Raises Error.
    """
    text, own = _split(recipe)
    report = _clipmill.run(
        _path_of(source), text, own, os.fspath(output), list(clips), threads, dry_run, progress
    )
    return _parsed(report)


def retarget(
    character: Asset | PathLike,
    motion: Asset | PathLike,
    output: PathLike,
    *,
    keep_feet: bool = False,
    keep_hands: bool = False,
    recipe: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Puts the clips of the file `motion` on `character`. `recipe` may have stages for them, and
    further settings in its table `input`.

    Options are those of `run`. Returns the report.
    """
    merged = dict(recipe or {})
    kept = {'keep_feet': keep_feet, 'keep_hands': keep_hands}
    merged['input'] = {
        **merged.get('input', {}),
        **{setting: True for setting, is_kept in kept.items() if is_kept},
        'clip_from': _path_of(motion),
    }
    return run(character, merged, output, **options)


def check(source: Asset | PathLike, clips: Sequence[str] = ()) -> dict[str, Any]:
    """What `clipmill check --json` prints: feet, knees, flight, loop seam, penetration, volume."""
    return _parsed(_clipmill.check(_path_of(source), list(clips)))


def diff(a: Asset | PathLike, b: Asset | PathLike, fps: float = 60.0) -> dict[str, Any]:
    """What `clipmill diff --json` prints: distances of nodes, clip by clip."""
    return _parsed(_clipmill.diff(_path_of(a), _path_of(b), fps))


def schema() -> dict[str, Any]:
    """JSON Schema of recipes."""
    return _parsed(_clipmill.schema())
