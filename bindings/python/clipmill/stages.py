# SPDX-License-Identifier: MIT
"""Stages in Python."""
from __future__ import annotations

from typing import Any, Callable

from clipmill import _clipmill
from clipmill.assets import Motion

Function = Callable[..., 'dict[str, float] | None']


class Stage:
    """A function with its settings, ready to be put into a recipe; see `stage`."""

    def __init__(self, name: str, function: Function, settings: dict[str, Any]):
        self.name = name
        self._function = function
        self._settings = settings

    def __call__(self, natives: list[_clipmill.Motion]) -> list[dict[str, float]]:
        """Called by a run with the motions of all clips."""
        metrics = []
        for native in natives:
            found = self._function(Motion(native), **self._settings)
            metrics.append({name: float(value) for name, value in (found or {}).items()})
        return metrics

    def __repr__(self) -> str:
        return f'<clipmill.Stage {self.name!r}>'


def stage(function: Function) -> Callable[..., Stage]:
    """Makes a stage of a function that changes the arrays of a Motion.

        @clipmill.stage
        def lift(motion, height):
            motion.translations[:, 0, 1] += height

        clipmill.run('in.glb', {'stage': [lift(height=0.1), {'type': 'loop'}]}, 'out.glb')

    The function may return a dictionary of numbers, which become metrics of the report. It is
    called once a clip, in their order, on another thread. KeyboardInterrupt is raised in it too.
    """

    def with_settings(**settings: Any) -> Stage:
        return Stage(function.__name__.replace('_', '-'), function, settings)

    with_settings.__doc__ = function.__doc__
    with_settings.__name__ = function.__name__
    return with_settings
