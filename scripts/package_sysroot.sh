#!/usr/bin/env bash
# Makes a folder with the C library of Debian 11 (2.31), so that packages run on any Linux since 2020:
#
#   scripts/package_sysroot.sh sysroot && make package SYSROOT=$PWD/sysroot
#
# The C library, Z3 and the archives are Debian 11's; the compiler, its C++ library and headers without a
# library are this machine's (Debian 12). mmdebstrap needs root and a network.
set -euo pipefail
sysroot=$1
suite=${2:-bullseye}
old=libc6-dev,libz3-dev,libsqlite3-dev,zlib1g-dev,libseccomp-dev,libboost-context-dev,libmicrohttpd-dev
[ -e "$sysroot/usr/include/stdio.h" ] || mmdebstrap --quiet --variant=minbase --include="$old" "$suite" "$sysroot"

compiler=$(g++ -dumpversion)
for package in "libstdc++-$compiler-dev" linux-libc-dev libfmt-dev libfmt9 nlohmann-json3-dev libcli11-dev libtomlplusplus-dev; do
  dpkg -L "$package"
done | grep -E '^/usr/(include|lib|share/(cmake|pkgconfig))/' | while read -r file; do
  # Files and links, not folders; the sysroot's libraries stay.
  [ -d "$file" ] && [ ! -L "$file" ] || echo "$file"
done | sort -u | tar -cf - -C / --files-from=<(sed 's|^/||') | tar -xf - -C "$sysroot"

# Links of -dev packages are absolute: they would lead to this machine's libraries.
find "$sysroot/usr/lib" "$sysroot"/lib* -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
done
# GCC 12's own unwinder wants a function of 2.35; that of Debian 11's compiler does not.
cp "$sysroot"/usr/lib/gcc/*/10/libgcc.a "$sysroot"/usr/lib/gcc/*/10/libgcc_eh.a "$sysroot/usr/lib/$(uname -m)-linux-gnu/"
echo "package_sysroot: $sysroot is made" >&2
