#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Packs a folder so that the same files give the same bytes: scripts/zip_folder.py FOLDER ARCHIVE.

Files are in the order of their names, with the time SOURCE_DATE_EPOCH.
"""
import os
import pathlib
import sys
import time
import zipfile


def pack(folder, archive):
    moment = time.gmtime(int(os.environ['SOURCE_DATE_EPOCH']))[:6]
    files = sorted(p for p in folder.rglob('*') if p.is_file())
    with zipfile.ZipFile(archive, 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in files:
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if os.access(path, os.X_OK) else 0o644) << 16
            packed.writestr(entry, path.read_bytes())


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: scripts/zip_folder.py FOLDER ARCHIVE')
    pack(pathlib.Path(sys.argv[1]), sys.argv[2])
