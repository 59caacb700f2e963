#!/bin/sh
# The steps of `cargo xtask package try`, each by its name, as root in a fresh system. /try has what is tried:
# dpor.deb, dpor.tar.gz, container/, ci/, examples/ and the two programs of this file's neighbour.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root

install() { apt-get install -qq -y --no-install-recommends "$@" >/dev/null; }

# What a user does who is not root, with the commands in PATH.
as_user() {
  su -s /bin/sh nobody -c "set -e; export HOME=/tmp/user; mkdir -p \$HOME; cd \$HOME; $1"
}

# $1 is the folder of the commands, or nothing.
example() {
  as_user "PATH=$1\$PATH
    dpor-c++ -std=c++17 -O2 -g -pthread /try/counter.cc -o counter
    code=0; dpor check ./counter > said || code=\$?
    cat said; [ \$code = 42 ]; grep -q 'data race on counter' said
    dpor-c++ -std=c++17 -O2 -g -pthread -DFIXED /try/counter.cc -o counter
    dpor check ./counter | tee said; grep -q '^verified: all 2 executions' said"
}

nothing_left() {
  left=$(find / -xdev -path /proc -prune -o -path /try -prune -o -path /tmp -prune -o -name '*dpor*' -print)
  if [ -n "$left" ]; then
    echo "left: $left"
    return 1
  fi
}

case $1 in
facts)
  . /etc/os-release
  libc=$(dpkg-query -W -f '${Version}' libc6)
  # The newest compiler that the package names, with which no other has to be there.
  clang=$(dpkg-query -W -f '${Package} ${Version}\n' 'clang-[0-9]*' 2>/dev/null | grep -v ' $' | tail -n 1)
  echo "$PRETTY_NAME|glibc $libc|$clang"
  ;;
package)
  apt-get update -qq
  install /try/dpor.deb
  dpkg --verify dpor
  ;;
doctor) dpor doctor ;;
example) example "" ;;
share)
  test -s /usr/share/man/man1/dpor-check.1.gz
  test -s /usr/share/bash-completion/completions/dpor
  test -s /usr/share/doc/dpor/copyright
  ;;
cmake)
  install cmake make
  cp -r /try/examples/account /tmp/account
  cd /tmp/account
  cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=/usr/lib/cmake/dpor/dpor-toolchain.cmake
  cmake --build build
  ctest --test-dir build
  ;;
frameworks)
  install libgtest-dev catch2 doctest-dev libboost-test-dev
  for one in googletest:tickets_test catch2:counter_test doctest:counter_test boost:counter_test; do
    cp -r "/try/examples/${one%:*}" /tmp/
    cd "/tmp/${one%:*}"
    cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=/usr/lib/cmake/dpor/dpor-toolchain.cmake >/dev/null
    cmake --build build >/dev/null
    code=0
    dpor check --output=none --message-format=short "build/${one#*:}" --test-filter '*' >said || code=$?
    echo "== $one"
    cat said
    [ $code = 42 ]
    grep -Eq '^[0-9]+ tests: [2-9] verified, 1 with a bug' said
  done
  ;;
versions)
  for name in libgtest-dev catch2 doctest-dev libboost-test-dev; do
    dpkg-query -W -f '${Package} ${Version}, ' "$name"
  done
  ;;
purge)
  apt-get purge -qq -y dpor >/dev/null
  nothing_left
  ;;
archive)
  mkdir -p "/opt/a folder"
  tar -xzf /try/dpor.tar.gz -C "/opt/a folder"
  "/opt/a folder"/dpor-*/bin/dpor doctor
  # By a link from elsewhere; and where it was moved to.
  mkdir -p /tmp/links
  ln -s "/opt/a folder"/dpor-*/bin/dpor /tmp/links/dpor
  /tmp/links/dpor doctor
  for unpacked in "/opt/a folder"/dpor-*; do
    example "'$unpacked/bin':"
  done
  mv "/opt/a folder"/dpor-* /opt/moved
  /opt/moved/bin/dpor doctor
  example "/opt/moved/bin:"
  rm -r /opt/moved /tmp/links "/opt/a folder"
  nothing_left
  ;;
ci)
  install curl ca-certificates
  mkdir -p /tmp/ci
  cd /tmp/ci
  DPOR_PACKAGE=/try/dpor.deb DPOR_SHA256=$(sha256sum /try/dpor.deb | cut -d ' ' -f 1) sh /try/ci/install.sh
  dpor-c++ -g -pthread /try/counter.cc -o a_test
  dpor-c++ -g -pthread -DFIXED /try/counter.cc -o b_test
  code=0
  DPOR_PROGRAMS='*_test' sh /try/ci/check.sh || code=$?
  [ $code = 42 ]
  test -s dpor-reports/a_test.sarif
  test -s dpor-reports/b_test.xml
  ;;
container) sh /try/container/setup.sh /try/container/dpor.deb ;;
*)
  echo "no step is $1" >&2
  exit 2
  ;;
esac
