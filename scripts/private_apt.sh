# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Sourced by scripts that unpack Debian's packages without installing them: nothing on this machine
# changes, and no rights are needed. Signatures are verified as ever.

# private_apt FOLDER ARCHITECTURE: apt reads and writes FOLDER alone from here on, and knows the
# packages of ARCHITECTURE and the sources.
private_apt() {
  local apt="$1" architecture="$2" keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  rm -rf "$apt"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/none" "$apt/source"
  # Of its own architecture a machine has packages already; of another one none.
  if [ "$architecture" = "$(dpkg --print-architecture)" ]; then
    cp /var/lib/dpkg/status "$apt/status"
  else
    : >"$apt/status"
  fi
  cat >"$apt/sources.list" <<LIST
deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb-src [signed-by=$keyring] http://deb.debian.org/debian bookworm main
LIST
  cat >"$apt/apt.conf" <<CONF
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::parts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
CONF
  export APT_CONFIG="$apt/apt.conf"
  apt-get update -qq
}

# unpack_archives FOLDER ROOT: unpacks the packages that apt keeps in FOLDER into ROOT.
unpack_archives() {
  local archive link
  # Debian 12 keeps all in /usr; packages that still have files in /lib get a link to it.
  mkdir -p "$2/usr/lib"
  ln -s usr/lib "$2/lib"
  for archive in "$1"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$2"
  done
  # Links to absolute paths would lead out of the folder.
  find "$2" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$2$(readlink "$link")" "$link"
  done
}
