#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Questions about files that need no daemon and no rights: check, check --netplan, config show; and config show of a daemon.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

cd "$tmp" || exit 1
cat >a.yaml <<-'E'
	network:
	  version: 2
	  ethernets:
	    lo: {addresses: [192.0.2.1/24, {192.0.2.2/24: {label: "lo:1"}}], mtu: 1400}
	  dummy-devices: {d0: {}}
	E
cat >b.yaml <<-'E'
	network:
	  ethernets:
	    lo: {addresses: ["2001:db8::1/64"], mtu: 1500}
	E
cat >ours.yaml <<-'E'
	network:
	  renderer: netctld
	  dummy-devices: {"d{1..3}": {alias: "it's \"quoted\"", ipv6-address-generation: random}}
	  virtual-ethernets: {v0: {peer: {netns: n0, name: v0}}}
	  namespaces:
	    n0: {sysctl: {net.ipv6.conf.all.stable_secret: "2001:db8::1"}, virtual-ethernets: {v0: {}}}
	E
chmod 644 ./*.yaml

equal 'no daemon is needed' 'The configuration is right.' "$(netctl check a.yaml b.yaml)"
netctl -j check ours.yaml >out
equal 'the answer in JSON' '{"exit":0,"links":5}' "$(cat out)"
printf 'network: {ethernets: {e0: {adresses: []}}}' | netctl check - >out 2>&1
equal 'the standard input is looked at' 2 "$?"
ok 'and said to be it' grep -q '^stdin:1:28: error: unknown key "adresses"' out
netctl check missing.yaml >out 2>&1
equal 'a file that is not there is an error' 2 "$?"

equal 'a file of netplan is one' 'The configuration is right.' "$(netctl check --netplan a.yaml b.yaml)"
netctl check --netplan ours.yaml >out 2>&1
equal 'ours is none' 1 "$?"
equal 'and all that netplan lacks is told' '2:13 value 3:19 ranges 3:31 key 3:82 value 4:34 mapping 5:3 key ' \
	"$(sed -n 's/^ours.yaml:\([0-9:]*\): warning: netplan has no \([a-z]*\).*/\1 \2/p' out | tr '\n' ' ')"
refute 'what is wrong is none either' netctl check --netplan missing.yaml

cat >want <<-'E'
	network:
	  version: 2  # a.yaml:2
	  ethernets:
	    lo:
	      addresses:
	        - 192.0.2.1/24  # a.yaml:4
	        - 192.0.2.2/24:
	            label: "lo:1"  # a.yaml:4
	        - "2001:db8::1/64"  # b.yaml:3
	      mtu: 1500  # b.yaml:3
	  dummy-devices:
	    d0: {}  # a.yaml:5
	E
netctl config show --origin a.yaml b.yaml >out
ok 'what files say together, and where' diff want out
netctl config a.yaml b.yaml >out
sed -i 's/  #.*//' want
ok 'or not where' diff want out
netctl config ours.yaml >out
netctl config out >again
ok 'the output says the same again' diff out again
ok 'secrets are left out' grep -q 'stable_secret: "(secret)"' out
ok 'quotes are kept' grep -qF "alias: \"it's \\\"quoted\\\"\"" out
refute 'files that contradict each other are told' sh -c 'echo "network: {ethernets: [x]}" | netctl config a.yaml -'
refute '--origin is for config show' netctl check --origin a.yaml

mkdir conf
netctld_start conf
netctl config >out
equal 'a daemon without files has none' 'network: {}' "$(cat out)"
echo 'network: {ethernets: {lo: {addresses: [192.0.2.7/32]}}}' >conf/c.yaml
netctl reload >out
ok 'a daemon shows what is in force' sh -c 'netctl config --origin | grep -q "192.0.2.7/32  # .*conf/c.yaml:1"'
done_testing
