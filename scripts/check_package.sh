#!/usr/bin/env bash
# Installs a package on bare roots and uses it there, as a plain user without a compiler or a network.
#
#   scripts/check_package.sh build-package/heddle_0.2.0_amd64.deb bookworm trixie bullseye
#   scripts/check_package.sh build-package/heddle-0.2.0-Linux-x86_64.tar.gz bookworm
#   scripts/check_package.sh FILE focal=MIRROR            a suite of another distribution, from its mirror
#
# Rules
#   1. No program asks for a newer C library than the package says (the .deb) or than 2.31 (the .tar.gz).
#   2. The commands of the README's section "Why" print what it shows; `doctor` and `optimize` run on an
#      installed example; every verb has its man page; completions and the Python module are there.
#   3. Each suite begins from a new copy of its root. The roots are made by mmdebstrap, which needs root and a
#      network, and are kept in ROOTS for another run.
set -euo pipefail
package=$(realpath "$1")
shift
work=$(mktemp -d)
roots=${ROOTS:-$work/roots}
mkdir -p "$roots"
trap 'umount "$work/root/proc" 2> /dev/null || true; rm -rf "$work"' EXIT

fail() {
  echo "check_package: $*" >&2
  exit 1
}

check_c_library() {
  local newest=2.31 file asked count=0
  mkdir "$work/files"
  case $package in
    *.deb)
      newest=$(dpkg-deb -f "$package" Depends | sed -n 's/.*libc6 (>= \([0-9.]*\)).*/\1/p')
      dpkg-deb -x "$package" "$work/files" ;;
    *)
      [ "$(tar -tf "$package" | cut -d/ -f1 | sort -u)" = "$(basename "$package" .tar.gz)" ] ||
        fail "the archive does not hold one folder of its name"
      tar -xf "$package" -C "$work/files" ;;
  esac
  while read -r file; do
    asked=$(objdump -T "$file" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -Vu | tail -1)
    echo "check_package: ${file#"$work"/files/} asks for glibc $asked of $newest" >&2
    [ "$(printf '%s\n' "$asked" "$newest" | sort -V | tail -1)" = "$newest" ] || fail "that is too new"
    count=$((count + 1))
  done < <(find "$work/files" -type f -size +8k -exec sh -c 'head -c4 "$1" | grep -q "^.ELF"' - {} \; -print | sort)
  [ "$count" -ge 3 ] || fail "$package has $count programs and libraries"
}

make_root() { # SUITE MIRROR ROOT
  [ ! -d "$3" ] || return 0
  rm -rf "$3.part"
  local options=()
  # shellcheck disable=SC2016
  [ -z "$2" ] || options=(--setup-hook='echo "APT::Get::AllowUnauthenticated true;" > "$1/etc/apt/apt.conf.d/99mirror"')
  mmdebstrap --quiet --variant=minbase --include=apt "${options[@]}" "$1" "$3.part" ${2:+"deb [trusted=yes] $2 $1 main universe"}
  mv "$3.part" "$3"
}

in_root() { # COMMAND...
  chroot "$work/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}

# What the package depends on comes from the distribution; the package itself is given to dpkg.
install_package() {
  local file="/tmp/${package##*/}"
  cp "$package" "$work/root/tmp/"
  cp /etc/resolv.conf "$work/root/etc/resolv.conf"
  in_root apt-get update -qq
  case $package in
    *.deb)
      in_root apt-get install -y -qq python3 libz3-4 > "$work/apt.log" 2>&1 || fail "apt: $(cat "$work/apt.log")"
      in_root dpkg -i "$file" ;;
    *)
      in_root apt-get install -y -qq python3 > "$work/apt.log" 2>&1 || fail "apt: $(cat "$work/apt.log")"
      in_root tar -xf "$file" -C /opt --strip-components=1 ;;
  esac
  in_root apt-get check -qq
}

as_user() { # COMMAND
  unshare -n chroot "$work/root" setpriv --reuid=4242 --regid=4242 --clear-groups \
    /usr/bin/env -i HOME=/home/plain LC_ALL=C.UTF-8 PATH=/usr/bin:/bin:/opt/bin sh -c "cd && $1"
}

# The first block of commands in the installed README's section "Why": "$ COMMAND" and what it prints.
readme_block() {
  awk '/^## /{in_why = $2 == "Why"} in_why && /^```$/{exit} in_why && shown{print} in_why && /^```console/{shown = 1}' \
    "$work/root$prefix/share/doc/heddle/README.md"
}

check_readme() {
  readme_block > "$work/shown"
  grep -q '^\$ heddle check' "$work/shown" || fail "the README has no command to try"
  sed -n 's/^\$ //p' "$work/shown" | while read -r command; do
    echo "\$ $command"
    as_user "$command" < /dev/null || true
  done > "$work/printed"
  diff "$work/shown" "$work/printed" >&2 || fail "$name prints something else than the README shows"
}

check_files() {
  local verb
  as_user 'heddle help --json' | python3 -c 'import json, sys
for verb in json.load(sys.stdin)["verbs"]: print("-" + verb["name"])' > "$work/verbs"
  for verb in "" $(cat "$work/verbs"); do
    [ -s "$work/root$prefix/share/man/man1/heddle$verb.1" ] || fail "heddle$verb has no man page"
  done
  for file in bash-completion/completions/heddle zsh/site-functions/_heddle fish/vendor_completions.d/heddle.fish \
    heddle/examples/stencil_2d.toml heddle/schemas/check.schema.json heddle/ci/heddle_ci.py doc/heddle/docs/checks/order.md; do
    [ -s "$work/root$prefix/share/$file" ] || fail "share/$file is missing"
  done
  echo "check_package: $(wc -l < "$work/verbs") verbs with their man pages" >&2
}

check_library() {
  local path=
  [ "$prefix" = /usr ] || path=PYTHONPATH=$prefix/lib/python3/dist-packages
  as_user "$path python3 -c 'import heddle; r = heddle.check(\"xcd(8)\", grid=\"256x256\"); print(\"libheddle:\", r.verdict)'" |
    grep -x 'libheddle: PROVED' || fail "the Python module does not work"
}

check_optimize() {
  as_user "heddle optimize $prefix/share/heddle/examples/stencil_2d.toml --gpu mi300x -o out > said && head -2 said"
  for file in kernel.patch report.html summary.md; do
    [ -s "$work/root/home/plain/out/$file" ] || fail "optimize wrote no $file"
  done
}

check_root() { # SUITE MIRROR
  make_root "$1" "$2" "$roots/$1"
  cp -a "$roots/$1" "$work/root"
  install_package
  mount -t proc proc "$work/root/proc"
  mkdir -p "$work/root/home/plain"
  chown 4242:4242 "$work/root/home/plain"
  ! as_user 'command -v cc || command -v c++ || command -v gcc || command -v clang-19' || fail "$1 has a compiler"
  as_user 'heddle --version && heddle doctor'
  check_readme
  check_files
  check_library
  check_optimize
  umount "$work/root/proc"
  rm -rf "$work/root"
  echo "check_package: $1 is good" >&2
}

prefix=/usr
case $package in *.deb) ;; *) prefix=/opt ;; esac
check_c_library
for suite in "$@"; do
  name=${suite%%=*}
  mirror=
  [ "$name" = "$suite" ] || mirror=${suite#*=}
  check_root "$name" "$mirror"
done
