#!/bin/sh
# Installs dpor on a build server.
#
#   DPOR_PACKAGE   a file or an address: dpor_VERSION_amd64.deb, or dpor-VERSION-x86_64-linux.tar.gz
#   DPOR_SHA256    its checksum; empty: it is not compared
#   DPOR_FOLDER    where an archive is unpacked ($HOME/dpor)
#
# A .deb needs root, or sudo without a password, and brings a clang; an archive needs one that is installed.
# Commands of an archive are in PATH for what follows: in this shell, if it is read with `.`, and on GitHub in
# the steps behind this one.
set -eu

dpor_install() {
  case "${DPOR_PACKAGE:-}" in
  "")
    echo "install.sh: DPOR_PACKAGE names no package" >&2
    return 2
    ;;
  *://*)
    dpor_file=$(mktemp -d)/${DPOR_PACKAGE##*/}
    curl -fsSL --retry 3 -o "$dpor_file" "$DPOR_PACKAGE" || return 2
    ;;
  *)
    # apt takes a name without a slash for that of a package.
    dpor_file=$(realpath -e -- "$DPOR_PACKAGE") || return 2
    ;;
  esac
  if [ -n "${DPOR_SHA256:-}" ]; then
    if ! echo "$DPOR_SHA256  $dpor_file" | sha256sum --check --status; then
      echo "install.sh: $DPOR_PACKAGE has another checksum than $DPOR_SHA256" >&2
      return 2
    fi
  fi
  case "$dpor_file" in
  *.deb)
    dpor_root=""
    [ "$(id -u)" = 0 ] || dpor_root="sudo -n"
    $dpor_root apt-get update -qq || return 2
    $dpor_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -qq -y --no-install-recommends "$dpor_file" >/dev/null || return 2
    ;;
  *.tar.gz)
    dpor_folder=${DPOR_FOLDER:-$HOME/dpor}
    mkdir -p "$dpor_folder" || return 2
    tar -xzf "$dpor_file" -C "$dpor_folder" --strip-components=1 || return 2
    PATH=$dpor_folder/bin:$PATH
    export PATH
    [ -z "${GITHUB_PATH:-}" ] || echo "$dpor_folder/bin" >>"$GITHUB_PATH"
    ;;
  *)
    echo "install.sh: $DPOR_PACKAGE is neither a .deb nor a .tar.gz" >&2
    return 2
    ;;
  esac
  # Finds a race, or says what is missing.
  dpor doctor
}

dpor_install
