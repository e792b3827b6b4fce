#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Without -c: of files of one name, the one in /run/netctld shadows that in /etc/netctld, which shadows that in
# /usr/lib/netctld, and all others are read. The folders are made in a mount namespace of the test's own.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd unshare mount
if [ "${_own_mounts:-}" != 1 ]; then
	unshare --mount true 2>/dev/null || skip 'no right to make a mount namespace'
	rm -rf "$tmp"
	_own_mounts=1 TMPDIR=$_outer_tmp exec unshare --mount -- "$0" "$@"
fi

put() { # FOLDER FILE: a pair of links that is called after both
	mkdir -p "$1/netctld"
	_name=$(basename "$1")-$2
	echo "network: {virtual-ethernets: {$_name: {peer: $_name.}, $_name.: {peer: $_name}}}" \
		>"$1/netctld/$2.yaml"
	chmod 0644 "$1/netctld/$2.yaml"
}

mount -t tmpfs none /run && mount -t tmpfs none /etc || skip 'no right to mount'
mkdir /run/upper /run/work
mount -t overlay -o lowerdir=/usr/lib,upperdir=/run/upper,workdir=/run/work none /usr/lib ||
	skip 'no right to mount an overlay'
put /run 1
put /etc 1
put /etc 2
put /usr/lib 1
put /usr/lib 2
put /usr/lib 3
netctld_start
wait_until sh -c 'netctl status | grep -q settled'
equal 'what is read' 'etc-2 etc-2. lib-3 lib-3. run-1 run-1. ' \
	"$(netctl -j link type veth | grep -o '"ifname":"[^"]*"' | cut -d'"' -f4 | sort | tr '\n' ' ')"
ok 'the daemon ends cleanly' netctld_stop
done_testing
