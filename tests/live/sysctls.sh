#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sysctls of links: what is right is not written, a refusal is told at its line and all is as before (also addresses that
# went with IPv6), and a link that somebody made again gets them again.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip

value() { # LINK KEY
	cat "/proc/sys/net/ipv6/conf/$1/$2"
}

addresses() {
	ip -o address show dev b0 scope global | sed 's/^[0-9]*: //' | sort
}

ip link add name foreign type bridge
ip link set dev foreign up
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
cat >"$tmp/a.yaml" <<-E
	network:
	  bridges:
	    b0:
	      addresses: ["2001:db8::1/64", 192.0.2.1/24]
	      sysctl: {ipv6.hop_limit: 33}
E
ok 'apply' netctl apply "$tmp/a.yaml"
equal 'it is set' 33 "$(value b0 hop_limit)"
equal 'nothing to do now' 0 "$(netctl plan "$tmp/a.yaml" >/dev/null; echo $?)"
ip address add 2001:db8::2/64 dev b0 nodad
addresses >"$tmp/before"
cat >"$tmp/b.yaml" <<-E
	network:
	  bridges:
	    b0:
	      addresses: [192.0.2.1/24]
	      sysctl:
	        ipv6.disable_ipv6: 1
	        ipv6.hop_limit: 999
E
refute "a value that the kernel refuses" sh -c "netctl apply $tmp/b.yaml >$tmp/refused 2>&1"
ok 'at its line' grep -q 'b.yaml:7:9: .*hop_limit.*Invalid argument' "$tmp/refused"
equal 'the value is as before' 33 "$(value b0 hop_limit)"
equal 'IPv6 is on as before' 0 "$(value b0 disable_ipv6)"
addresses >"$tmp/after"
ok 'the addresses are as before, ours and that of somebody else' diff "$tmp/before" "$tmp/after"
ip link del dev b0
ok 'apply again' netctl apply "$tmp/a.yaml"
equal 'it is set again' 33 "$(value b0 hop_limit)"
# By hand: only that one is written.
echo 44 >/proc/sys/net/ipv6/conf/b0/hop_limit
netctl plan "$tmp/a.yaml" >"$tmp/plan" && status=0 || status=$?
equal 'a difference is seen' 1 "$status"
ok 'and told' grep -q 'ipv6/conf/b0/hop_limit\|sysctl' "$tmp/plan"
ok 'apply once more' netctl apply "$tmp/a.yaml"
equal 'it is right again' 33 "$(value b0 hop_limit)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
