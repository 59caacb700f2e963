#!/bin/sh
# Installs dpor's package in an image, with what build systems of C and C++ call; apt's lists do not stay.
# setup.sh PACKAGE
set -eu
package=$1
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq -y --no-install-recommends "$package" make cmake pkg-config >/dev/null
apt-get clean
rm -rf /var/lib/apt/lists/*
# An image whose dpor does not find a race is none.
dpor doctor
