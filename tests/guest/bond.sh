#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A bond's primary: set once the port has joined, seen by ip, set over to another port, also to one that joins in the
# same apply, put back after a refusal, and nothing to do the second time.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip

config() { # PORTS PRIMARY
	cat <<-E
		network:
		  dummy-devices: {d0: {}, d1: {}, d2: {}}
		  bonds:
		    b0:
		      interfaces: [$1]
		      parameters: {mode: active-backup, mii-monitor-interval: 100, primary: $2}
	E
}

primary() {
	ip -d link show dev b0 | sed -n 's/.* primary \([^ ]*\) .*/\1/p'
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
config 'd0, d1' d1 >"$tmp/a.yaml"
ok 'apply' netctl apply "$tmp/a.yaml"
equal 'the primary' d1 "$(primary)"
equal 'is shown, too' d1 "$(netctl -j link show dev b0 | sed 's/.*"primary":"\([^"]*\)".*/\1/')"
equal 'nothing to do now' 0 "$(netctl plan "$tmp/a.yaml" >/dev/null; echo $?)"
config 'd0, d1' d0 >"$tmp/a.yaml"
ok 'another one' netctl apply "$tmp/a.yaml"
equal 'is the primary' d0 "$(primary)"
config 'd0, d1, d2' d2 >"$tmp/a.yaml"
ok 'one that joins' netctl apply "$tmp/a.yaml"
equal 'joins first' d2 "$(primary)"
equal 'nothing to do then' 0 "$(netctl plan "$tmp/a.yaml" >/dev/null; echo $?)"
# An IPv6 address needs an MTU of 1,280 bytes, which only the kernel refuses.
{ config 'd0, d1, d2' d1; echo '  macvlans: {m0: {link: b0, mtu: 1000, addresses: ["2001:db8::1/64"]}}'; } >"$tmp/a.yaml"
refute 'a refusal' netctl apply "$tmp/a.yaml"
equal 'brings the old one back' d2 "$(primary)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
