# SPDX-License-Identifier: MIT
"""Drift and skate of planted feet by numpy, from paths that an independent evaluator found."""

SAMPLES_PER_SECOND = 120
REFERENCE_LEG_M = 0.85
SKATE_HEIGHT_M = 0.025


def times_of(start_s, end_s):
    import numpy as np

    return np.linspace(start_s, end_s, max(2, round((end_s - start_s) * SAMPLES_PER_SECOND) + 1))


def within(times, span):
    """Which of the times a span of `check` holds."""
    return (times >= span['start_s'] - 1e-4) & (times <= span['end_s'] + 1e-4)


def drift_mm(path_m, times, span):
    """The largest distance along the ground of a point from its mean position in a span."""
    import numpy as np

    ground = path_m[within(times, span)][:, [0, 2]]
    return 1e3 * np.linalg.norm(ground - ground.mean(axis=0), axis=1).max()


def skate_cm(paths_m, times, spans, leg_m):
    """Centimetres in 1/30 s: horizontal speed times 2 - 2^(h/H) over the spans; `paths_m` are
    those of the parts that spans name. Levels are heights that are passed for a twentieth."""
    import numpy as np

    distance = time = 0.0
    for span in spans:
        path = paths_m[span['part']]
        level = np.sort(path[:, 1])[int(0.05 * len(path))]
        on = within(times, span)
        height = np.clip((path[:, 1] - level) / (SKATE_HEIGHT_M * leg_m / REFERENCE_LEG_M), 0, 1)
        speed = np.linalg.norm(np.gradient(path[:, [0, 2]], times, axis=0), axis=1)
        distance += (np.where(height < 1, 2 - 2**height, 0) * speed)[on].sum()
        time += on.sum()
    return 100 * distance / time / 30

