#!/usr/bin/env bash
# Installs the packages heddle builds with, on Debian and Ubuntu: only those that are missing,
# naming them first, through sudo when not root. Does nothing when all are there.
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config python3 clang-19
  libcli11-dev nlohmann-json3-dev libfmt-dev libz3-dev libtomlplusplus-dev libsqlite3-dev
  libseccomp-dev libboost-context-dev zlib1g-dev gnuplot-nox libcurl4 libmicrohttpd-dev
  libgtest-dev libgmock-dev libamdhip64-dev "$@")

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not Debian or Ubuntu; install by hand what is missing of: ${packages[*]}" >&2
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "setup: not root and no sudo; ask an administrator to install: ${missing[*]}" >&2; exit 4; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}" >&2
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends)
"${install[@]}" "${missing[@]}" >&2 || {
  "${as_root[@]}" apt-get update -qq >&2
  "${install[@]}" "${missing[@]}" >&2
}
