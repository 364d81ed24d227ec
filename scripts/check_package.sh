#!/usr/bin/env bash
# Installs a package on bare roots and runs the first commands of the README there, as a plain user
# without a compiler.
#
#   scripts/check_package.sh build-package/heddle_0.2.0_amd64.deb bookworm trixie
#   scripts/check_package.sh build-package/heddle-0.2.0-Linux.tar.gz bookworm
#   scripts/check_package.sh FILE noble=MIRROR            a suite of another distribution, from its mirror
#
# Roots are made by mmdebstrap, which needs root and a network, and kept in ROOTS for another run.
set -euo pipefail
package=$(realpath "$1")
shift
roots=${ROOTS:-$(mktemp -d)}

make_root() { # SUITE MIRROR ROOT
  [ ! -x "$3/bin/sh" ] || return 0
  local options=()
  [ -z "$2" ] || options=(--setup-hook='echo "APT::Get::AllowUnauthenticated true;" > "$1/etc/apt/apt.conf.d/99mirror"')
  mmdebstrap --quiet --variant=minbase "${options[@]}" "$1" "$3" ${2:+"deb [trusted=yes] $2 $1 main universe"}
}

in_root() { # ROOT COMMAND...
  local root=$1
  shift
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}

install_package() { # ROOT
  cp "$package" "$1/tmp/"
  local file="/tmp/$(basename "$package")"
  in_root "$1" apt-get update -qq
  case $package in
    *.deb) in_root "$1" apt-get install -y -qq "$file" > /dev/null 2>&1 ;;
    *)
      in_root "$1" apt-get install -y -qq python3 > /dev/null 2>&1
      in_root "$1" tar -xf "$file" -C /opt --strip-components=1 ;;
  esac
}

as_user() { # ROOT COMMAND
  in_root "$1" setpriv --reuid=4242 --regid=4242 --clear-groups \
    env HOME=/home/plain PATH=/usr/bin:/bin:/opt/bin:/opt/usr/bin sh -c "cd && $2"
}

for suite in "$@"; do
  name=${suite%%=*}
  mirror=
  [ "$name" = "$suite" ] || mirror=${suite#*=}
  root="$roots/$name"
  make_root "$name" "$mirror" "$root"
  install_package "$root"
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
  trap 'umount "$root/proc"' EXIT
  mkdir -p "$root/home/plain"
  chown 4242:4242 "$root/home/plain"
  if as_user "$root" 'command -v cc c++ gcc clang-19'; then
    echo "check_package: $name has a compiler" >&2
    exit 1
  fi
  as_user "$root" 'heddle --version && heddle doctor'
  as_user "$root" 'heddle check "xcd(8)" --grids 1..4096'
  as_user "$root" 'heddle check "(p0 % 8) * (g0 // 8) + p0 // 8" --all-sizes; test $? = 1'
  as_user "$root" 'heddle simulate "$(heddle doctor --json | sed -n "s/.*\"path\": \"\(.*examples\)\".*/\1/p")/stencil_2d.toml" --gpu mi300x > page && head -5 page'
  umount "$root/proc"
  trap - EXIT
  echo "check_package: $name is good"
done
