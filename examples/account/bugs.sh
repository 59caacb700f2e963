#!/bin/sh
set -e
"${srcdir:-.}/finds" data-race ./balance_test
"${srcdir:-.}/finds" deadlock ./transfer_test
