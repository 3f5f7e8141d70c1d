# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Findings of `clipmill check` that have a frame: feet that drift, limbs in the body, volume that
is missing."""

# A planted foot that drifts by less is not listed.
_DRIFT_MM = 5.0
# As `check` itself lists penetration and volume.
_PENETRATION_PERCENT = 1.0
_VOLUME_LOSS_PERCENT = 2.0


class Finding:
    """A fault of a clip, and the frame of the scene where it shows. `severity` sorts."""

    def __init__(self, clip, frame, text, severity):
        self.clip, self.frame, self.text, self.severity = clip, frame, text, severity


def findings(report, first_frames, fps):
    """The findings of a report of `check --json`, by frame. `first_frames` is by name of clip."""
    found = []
    for clip in report['clips']:
        first = first_frames[clip['clip']]

        def add(at_s, text, severity, name=clip['clip'], first=first):
            found.append(Finding(name, int(first + round(at_s * fps)), text, severity))

        for span in clip['contacts']:
            if span['drift_mm'] > _DRIFT_MM:
                text = f"{span['part']} drifts by {span['drift_mm']:.0f} mm"
                add(span['start_s'], text, span['drift_mm'])
        for pair in clip['limb_pairs']:
            depth = pair['max_penetration_percent']
            if depth > _PENETRATION_PERCENT:
                text = f"{pair['pair']}: {depth:.1f} % of the height inside"
                add(pair['max_penetration_at_s'], text, depth)
        for limb in clip['limb_volumes']:
            if limb['min_percent'] is not None and limb['min_percent'] < 100 - _VOLUME_LOSS_PERCENT:
                text = f"{limb['joint']} has {limb['min_percent']:.0f} % of its volume"
                add(limb['min_at_s'], text, 100 - limb['min_percent'])
    return sorted(found, key=lambda f: (f.clip, f.frame))
