#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An address that somebody else on the link has, too: the status says why it is of no use.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"
need_cmd ip

ip link add name v0 type veth peer name v1
sysctl -qw net.ipv6.conf.v1.accept_dad=0
ip link set dev v0 up
ip link set dev v1 up
ip address add 2001:db8::1/64 dev v1 nodad
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
cat >"$tmp/a.yaml" <<-E
	network:
	  ethernets:
	    v0: {addresses: ["2001:db8::1/64"]}
E
ok 'apply' netctl apply "$tmp/a.yaml"
wait_until sh -c 'ip address show dev v0 | grep -q dadfailed'
wait_until sh -c 'netctl status | grep -q "v0 has the address 2001:db8::1/64, and so has somebody else on its link"'
ok 'the status tells it' true
equal 'a plan does not' 0 "$(netctl plan "$tmp/a.yaml" >/dev/null; echo $?)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
