#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Namespaces made and deleted by ip and by netctl, mixed at random: both list the same after each command, and each uses
# what the other has made. And both at once: see nslist.c. NSLIST_STEPS, NSLIST_SEED, if set: as said.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip stdbuf

steps=${NSLIST_STEPS:-$(pick 10000 1500)}
seed=${NSLIST_SEED:-$(date +%s)}

names() {
	sed 's/ .*//' | LC_ALL=C sort | tr '\n' ' '
}

mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'a range is added' netctl netns add 'r{1..20}' single
equal 'and listed by ip' "$( (seq -f r%g 1 20; echo single) | names)" "$(ip netns list | names)"
equal 'by netctl' "$(ip netns list | names)" "$(netctl netns list | names)"
ok 'a namespace of netctl is used by ip' ip -n r7 link set lo up
ok 'and by ip netns exec' ip netns exec r7 true
ok 'its link is seen by netctl' sh -c 'netctl -j -n r7 link show dev lo | grep -q UP'
ok 'ip adds one' ip netns add by-ip
ok 'netctl uses it' netctl -n by-ip link show dev lo
equal 'netctl runs a command in it' "$(ip netns exec by-ip readlink /proc/self/ns/net)" \
	"$(netctl netns exec by-ip readlink /proc/self/ns/net)"
refute 'a name that is there cannot be added' netctl netns add by-ip
refute 'one that is not there cannot be deleted' netctl netns del nobody
refute 'nor used' netctl -n nobody link
for name in '..' '.' '' 'a/b' '../x'; do
	refute "'$name' is no name" netctl netns add "$name"
done
ok 'netctl deletes what ip has made' netctl netns del by-ip
ok 'ip deletes what netctl has made' ip netns del single
ok 'a range is deleted' netctl netns del 'r{1..20}'
equal 'nothing is left' '' "$(ip netns list)$(netctl netns list)"
equal 'no mount either' 0 "$(count_netns_mounts)"

ok "$steps steps, seed $seed" "$NETCTLD_BUILD/tests/live/nslist" -n "$steps" -s "$seed" "$NETCTL_RUNTIME"
sed 's/^/# /' "$tmp/.output"
equal 'nothing is left' '' "$(ls -A /run/netns)"
equal 'no mount either' 0 "$(count_netns_mounts)"
ok 'the kernel has taken all down' namespaces_gone
ok 'the daemon ends cleanly' netctld_stop
done_testing
