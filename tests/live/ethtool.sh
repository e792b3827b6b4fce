#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What drivers are told by generic netlink: set as ethtool(8) shows it, not touched again, taken back when another part of
# the apply is refused, in other namespaces too. veth has features and channels.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ethtool ip

feature() { # LINK FEATURE
	ethtool -k "$1" | sed -n "s/^[[:blank:]]*$2: \([a-z]*\).*/\1/p"
}

channels() { # LINK
	ethtool -l "$1" | sed -n '/Current/,$s/^\(RX\|TX\):[[:blank:]]*//p' | tr '\n' ' '
}

entries() { # of the plan for FILE: object, label and fields, a line each
	netctl -j plan "$1" | sed 's/{"action"/\n&/g' | grep -v '"object":"link"' |
		sed -n 's/.*"object":"\([^"]*\)".*"label":"\([^"]*\)".*"fields":\[\([^]]*\)\].*/\1 \2 \3/p'
}

refusal() { # FILE: MEMBERS of the first one
	netctl -j apply "$1" 2>/dev/null | sed -n 's/.*"refusals":\[{\([^}]*\)}.*/\1/p'
}

ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1
ip -n spare link show >/dev/null 2>&1 || ip netns add spare
ip -n spare link add v0 type veth peer name v1
cat >"$tmp/a.yaml" <<END
network:
  virtual-ethernets:
    v0:
      peer: v1
      tcp-segmentation-offload: false
      ethtool:
        features: {rx-gro: true}
        channels: {rx: 2, tx: 3}
    v1: {}
  namespaces:
    spare:
      virtual-ethernets:
        v0: {peer: v1, generic-receive-offload: true}
        v1: {tcp6-segmentation-offload: false}
    made:
      virtual-ethernets:
        "x{1..3}": {peer: "y{n}", tcp-segmentation-offload: false}
        "y{1..3}": {}
END
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
equal 'what differs is told by name, in its line' \
	'features v0 "tx-tcp-segmentation","rx-gro" channels v0 "rx","tx" features v0 "rx-gro" features v1 "tx-tcp6-segmentation" ' \
	"$(entries "$tmp/a.yaml" | tr '\n' ' ')"
ok 'apply' netctl apply "$tmp/a.yaml"
equal 'a feature of a key of netplan' off "$(feature v0 tx-tcp-segmentation)"
equal 'and one by its name' on "$(feature v0 generic-receive-offload)"
equal 'channels' '2 3 ' "$(channels v0)"
equal 'the other end has kept what it had' on "$(feature v1 tx-tcp-segmentation)"
equal 'in another namespace' 'on off' \
	"$(ip netns exec spare ethtool -k v0 | sed -n 's/^generic-receive-offload: //p') $(
		ip netns exec spare ethtool -k v1 | sed -n 's/^[[:blank:]]*tx-tcp6-segmentation: //p')"
equal 'and in one that is made with its links' 'off off off ' \
	"$(for i in 1 2 3; do ip netns exec made ethtool -k x$i | sed -n 's/^[[:blank:]]*tx-tcp-segmentation: //p'; done | tr '\n' ' ')"
ok 'a plan for the same has nothing to do' netctl plan "$tmp/a.yaml"
equal 'and a second apply does nothing' '"state":"unchanged","done":0' \
	"$(netctl -j apply "$tmp/a.yaml" | sed 's/.*\("state":"[a-z-]*"\).*\("done":[0-9]*\).*/\1,\2/')"

sed 's/tx: 3/tx: 9/; s/rx-gro: true/rx-gro: false/' "$tmp/a.yaml" >"$tmp/b.yaml"
said=$(refusal "$tmp/b.yaml")
equal 'a refusal is told with the words of the kernel, at its line' \
	'"action":"set","object":"channels" "kernel":"requested channel count exceeds maximum" "line":8' \
	"$(echo "$said" | sed 's/.*\("action":"set","object":"channels"\).*\("kernel":"[^"]*"\).*\("line":8\).*/\1 \2 \3/')"
equal 'and what was done before is undone' 'on 2 3 ' "$(feature v0 generic-receive-offload) $(channels v0)"
sed 's/tx: 3/tx: 1/; s/rx-gro: true/rx-gro: false/' "$tmp/a.yaml" >"$tmp/f.yaml"
ok 'another value, to be confirmed' netctl apply --confirm 1 "$tmp/f.yaml"
back() { [ "$(feature v0 generic-receive-offload) $(channels v0)" = 'on 2 3 ' ]; }
ok 'is taken back when nobody confirms it' wait_until back
sed 's/rx-gro: true/rx-grow: true/' "$tmp/a.yaml" >"$tmp/c.yaml"
refute 'a feature that the driver does not know is refused' netctl apply "$tmp/c.yaml"
ok 'with the words of the kernel' grep -q 'the kernel says: bit name not found' "$tmp/netctld.log"
sed 's/rx-gro: true/rx-all: true/' "$tmp/a.yaml" >"$tmp/d.yaml"
refute 'and one that it cannot change' netctl apply "$tmp/d.yaml"
ok 'by what reads back' grep -q 'rx-all is off, and the driver keeps it so' "$tmp/netctld.log"
sed 's/channels: .*/rings: {rx: 64}/' "$tmp/a.yaml" >"$tmp/e.yaml"
said=$(refusal "$tmp/e.yaml")
ok 'what a driver has not at all is refused, too' test "${said#*'"object":"rings"'}" != "$said"
done_testing
