#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What an apply is kept from: cutting off the session of whoever asks for it, taking along what others have put on a link
# that goes, and what cannot be undone, which waits for the confirm. And the warning about a networkd that takes away the
# routes of others.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip

mkdir -p "$tmp/conf" /run/systemd/units /run/systemd/networkd.conf.d
ln -s 0123 /run/systemd/units/invocation:systemd-networkd.service
printf '[Network]\nManageForeignRoutes=no\n' >/run/systemd/networkd.conf.d/10-a.conf
cat >"$tmp/good.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb}
	    vb: {peer: va}
	    wa: {peer: wb, addresses: ["198.51.100.1/24"], routes: [{to: 10.7.0.0/16, via: 198.51.100.2}]}
	    wb: {peer: wa}
	  bridges:
	    br0: {interfaces: [va], macaddress: "02:00:00:00:00:b0", addresses: ["192.0.2.1/24", "2001:db8::1/64"]}
	  macvlans:
	    mv1: {link: wb}
	E
netctld_start "$tmp/conf"
ok 'a networkd that takes away rules of others: it is said in the log' grep -q 'systemd-networkd.*rules' "$tmp/netctld.log"
ok 'and in the status' sh -c 'netctl status | grep -q "warning.*systemd-networkd.*rules"'
cp "$NETCTLD_SOURCE/conf/networkd/50-netctld.conf" /run/systemd/networkd.conf.d/
ok 'a configuration' netctl apply "$tmp/good.yaml"
refute 'with the drop-in there is nothing to warn of' sh -c 'netctl status | grep -q warning'

# refused NAME SED: the good one, changed, from within a session
session='192.0.2.9 50000 192.0.2.1 22'
change() {
	sed "$1" "$tmp/good.yaml" >"$tmp/next.yaml"
	SSH_CONNECTION=$session netctl apply ${2-} "$tmp/next.yaml" >"$tmp/out" 2>&1
	_status=$?
	sed 's/^/# /' "$tmp/out"
	return $_status
}
refuses() {
	change "$2"
	equal "$1: refused" 2 "$?"
	ok "$1: says what it carries" grep -q 'carries your own session from' "$tmp/out"
	ok "$1: and what to do" grep -q -e '--confirm 60' "$tmp/out"
}
refuses 'the address of the session goes' 's/"192.0.2.1.24", //'
refuses 'its bridge goes' '/bridges:/,/br0/d'
refuses 'its bridge changes' 's/br0: {/br0: {mtu: 1400, /'
refuses 'the port of its bridge changes' 's/va: {/va: {mtu: 1400, /'
session='2001:db8::9 50000 2001:db8::1 22'
refuses 'a session of IPv6' 's/, "2001:db8::1.64"//'
session='198.51.100.77 50000 198.51.100.1 22'
refuses 'the link of the session gets another MTU' 's/wa: {/wa: {mtu: 1400, /'
session='10.7.0.9 50000 198.51.100.1 22'
refuses 'the route to the peer goes' 's/, routes:.*]//'
session='203.0.113.9 50000 203.0.113.1 22'
ok 'what is of no link here guards nothing' change 's/br0: {/br0: {alias: x, /'
session='192.0.2.9 50000 192.0.2.1 22'
ok 'what else changes is no matter' change 's/wa: {/wa: {mtu: 1400, /'
ok 'an alias of the bridge neither' change 's/br0: {/br0: {alias: this, /'
ok 'with --no-guard it is done' change 's/br0: {/br0: {mtu: 1400, /' --no-guard
ok 'with --confirm as well' change 's/br0: {/br0: {mtu: 1300, /' '--confirm 3600'
ok 'and taken back' netctl rollback
ok 'the good one again' netctl apply --no-guard "$tmp/good.yaml"

# What others have put on what goes.
ip link add foreign link wb type macvlan
ip addr add 10.0.0.1/24 dev wa
ip route add 10.1.0.0/16 via 10.0.0.2
sed '/wa:/d; /wb:/d; /macvlans/,$d' "$tmp/good.yaml" >"$tmp/next.yaml"
netctl plan "$tmp/next.yaml" >"$tmp/out" 2>&1
equal 'a deletion that takes along what is not ours is blocked' 2 "$?"
sed 's/^/# /' "$tmp/out"
ok 'a link' grep -q 'foreign-loss: deleting wb takes link foreign along' "$tmp/out"
ok 'an address' grep -q 'foreign-loss: deleting wa takes address 10.0.0.1/24 along' "$tmp/out"
ok 'a route' grep -q 'foreign-loss: deleting wa takes route 10.1.0.0/16 along' "$tmp/out"
ok 'what cannot be undone stands behind a line' sh -c "sed -n '/point of no return/,\$p' '$tmp/out' | grep -q 'wa.*delete'"
netctl apply "$tmp/next.yaml" >"$tmp/out" 2>&1
equal 'so is its apply' 2 "$?"
ok 'all is still there' ip link show dev foreign
ok 'to be confirmed, and with leave' netctl apply --confirm 3600 --allow-foreign-loss "$tmp/next.yaml"
ok 'it waits' ip link show dev foreign
ok 'until then' netctl confirm
refute 'now it is gone' ip link show dev foreign

# What cannot wait.
cat >"$tmp/one.yaml" <<-E
	network:
	  virtual-ethernets: {va: {peer: vb}, vb: {peer: va}}
	  macvlans: {mv1: {link: va, mode: bridge}}
	E
sed 's/mode: bridge/mode: passthru/' "$tmp/one.yaml" >"$tmp/two.yaml"
ok 'another one' netctl apply "$tmp/one.yaml"
netctl apply --confirm 60 "$tmp/two.yaml" >"$tmp/out" 2>&1
equal 'a link that must be made again needs leave' 2 "$?"
ok 'and says which' grep -q -e '--allow-recreate' "$tmp/out"
netctl plan --allow-recreate "$tmp/two.yaml" >"$tmp/out" 2>&1
ok 'the plan says that it cannot be undone' grep -q 'mv1.*cannot be undone' "$tmp/out"
ok 'the daemon ends cleanly' netctld_stop
done_testing
