#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ten faulty files, given to a running daemon: each is refused with exit status 2, a place and advice; nothing is sent
# to the kernel, and the accepted configuration stays. What exactly is said is in tests/golden/config.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_netns "$@"

changes() {
	status_number changes
}

cat >"$tmp/good.yaml" <<-E
	network:
	  virtual-ethernets:
	    va: {peer: vb}
	    vb: {peer: va, addresses: [192.0.2.1/24]}
	E
mkdir "$tmp/conf"
netctld_start "$tmp/conf"
ok 'a good file is applied' netctl apply "$tmp/good.yaml"
before=$(changes)
ip -o link >"$tmp/before"

for name in bad-id unknown-key duplicate-key unknown-parent vlan-loop no-prefix-length range-without-end \
	expression-overflow tab octal; do
	cp "$NETCTLD_SOURCE/tests/golden/config/$name.yaml" "$tmp/$name.yaml"
	chmod 0644 "$tmp/$name.yaml"
	netctl apply "$tmp/$name.yaml" >"$tmp/out" 2>&1
	equal "$name: exit status" 2 "$?"
	ok "$name: says where" grep -Eq "$name.yaml:[0-9]+:[0-9]+: error: " "$tmp/out"
	ok "$name: shows the place" grep -Eq '^ *\^' "$tmp/out"
	ok "$name: says what to do" grep -q 'advice: ' "$tmp/out"
	netctl check "$tmp/$name.yaml" >/dev/null 2>&1
	equal "$name: check says so, too" 2 "$?"
	netctl plan "$tmp/$name.yaml" >/dev/null 2>&1
	equal "$name: and plan" 2 "$?"
done
equal 'nothing was sent to the kernel' "$before" "$(changes)"
ip -o link >"$tmp/after"
ok 'all links are as before' cmp "$tmp/before" "$tmp/after"
equal 'the good file is still the configuration' 0 "$(netctl plan "$tmp/good.yaml" >/dev/null; echo $?)"
ok 'the daemon ends cleanly' netctld_stop
done_testing
