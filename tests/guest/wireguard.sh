#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A WireGuard hub, and two of its peers in namespaces of their own: what wg(8) shows is what the files say, nothing is told
# twice, a peer that comes or goes leaves the sessions of the others alone, and what is refused later is taken back whole.
# Secrets are found nowhere but where they belong.
. "$NETCTLD_SOURCE/tests/lib.sh"
own_machine "$@"
need_cmd ip wg jq
ip link add wgprobe type wireguard 2>/dev/null || skip 'this kernel has no WireGuard'
ip link del wgprobe

# Keys that no other program has.
umask 077
for n in hub 1 2 3; do
	wg genkey >"$tmp/$n.key"
	wg pubkey <"$tmp/$n.key" >"$tmp/$n.pub"
done
wg genpsk >"$tmp/psk"
chmod 600 "$tmp"/*.key "$tmp/psk"
pub() { cat "$tmp/$1.pub"; }

# Two peers, each behind a pair of its own.
for n in 1 2; do
	ip netns add peer$n
	ip link add up$n type veth peer name eth0 netns peer$n
	ip addr add 192.0.2.$((n * 4 + 1))/30 dev up$n
	ip link set up$n up
	ip -n peer$n addr add 192.0.2.$((n * 4 + 2))/30 dev eth0
	ip -n peer$n link set eth0 up
	ip -n peer$n link add wg0 type wireguard
	ip netns exec peer$n wg set wg0 private-key "$tmp/$n.key" peer "$(pub hub)" \
		endpoint 192.0.2.$((n * 4 + 1)):51820 allowed-ips 10.9.0.0/24
	ip -n peer$n addr add 10.9.0.1$n/24 dev wg0
	ip -n peer$n link set wg0 up
done
ip netns exec peer1 wg set wg0 peer "$(pub hub)" preshared-key "$tmp/psk"

peer_lines() { # NUMBERS
	for n; do
		echo "        - keys: {public: \"$(pub $n)\"$([ $n != 1 ] || echo ", shared: $(cat "$tmp/psk")")}"
		echo "          allowed-ips: [10.9.0.1$n/32, \"fd00:$n::/64\"]"
		[ $n != 3 ] || echo '          endpoint: "[2001:db8::3]:4000"'
		[ $n != 3 ] || echo '          keepalive: 25'
	done
}
hub() { # NUMBERS of peers
	cat <<-END
	network:
	  tunnels:
	    wg0:
	      mode: wireguard
	      key: $tmp/hub.key
	      port: 51820
	      mark: 42
	      addresses: [10.9.0.1/24]
	      peers:
	END
	peer_lines "$@"
}
dump() { # public key, shared key, endpoint, allowed-ips, keepalive of each peer
	wg show wg0 dump | tail -n +2 | cut -f 1,2,4,8 | sort
}
expected() { # NUMBERS
	for n; do
		printf '%s\t%s\t10.9.0.1%s/32,fd00:%s::/64\t%s\n' "$(pub $n)" \
			"$([ $n = 1 ] && cat "$tmp/psk" || echo '(none)')" $n $n "$([ $n = 3 ] && echo 25 || echo off)"
	done | sort
}
handshakes() { wg show wg0 latest-handshakes | sort; }
ping_from() { ip netns exec "peer$1" ping -c 1 -W 5 10.9.0.1 >/dev/null; } # who has no endpoint cannot be the first
ping_peer() { ping -c 1 -W 5 "10.9.0.1$1" >/dev/null; }

mkdir "$tmp/conf"
hub 1 2 3 >"$tmp/conf/hub.yaml"
chmod 600 "$tmp/conf/hub.yaml"
netctld_start "$tmp/conf"
wait_until ip link show dev wg0 up
equal 'the private key is that of the file' "$(cat "$tmp/hub.key")" "$(wg show wg0 private-key)"
equal 'port and mark' '51820 0x2a' "$(wg show wg0 listen-port) $(wg show wg0 fwmark)"
equal 'the peers are those of the file' "$(expected 1 2 3)" "$(dump)"
equal 'with the endpoint of one' '[2001:db8::3]:4000' "$(wg show wg0 endpoints | sed -n "s|^$(pub 3)	||p")"
ok "a peer with a shared key gets through" wait_until ping_from 1
ok "and one without" wait_until ping_from 2
ok 'a plan for the same has nothing to do' netctl plan "$tmp/conf/hub.yaml"
equal 'a second apply does nothing' unchanged "$(netctl -j apply "$tmp/conf/hub.yaml" | jq -r .result.state)"

before=$(handshakes)
hub 1 2 >"$tmp/conf/hub.yaml"
equal 'a plan names what changes, and no secret' 'set wireguard wg0 ["peers"]' \
	"$(netctl -j plan "$tmp/conf/hub.yaml" | jq -r '.plan.entries[] | "\(.action) \(.object) \(.label) \(.fields | tostring)"')"
ok 'a peer goes' netctl reload
equal 'alone' "$(expected 1 2)" "$(dump)"
equal 'and the sessions of the others go on' "$(echo "$before" | grep -v "$(pub 3)")" "$(handshakes)"
ok 'they are not made anew' test "$(wg show wg0 transfer | awk '$2 == 0' | wc -l)" = 0
hub 1 2 3 | sed 's/keepalive: 25/keepalive: 7/' >"$tmp/conf/hub.yaml"
ok 'a peer comes' netctl reload
equal 'with its keepalive' 7 "$(wg show wg0 persistent-keepalive | sed -n "s|^$(pub 3)	||p")"
equal 'the others have their sessions' "$(echo "$before" | grep -v "$(pub 3)")" "$(handshakes | grep -v "$(pub 3)")"

# The second link is refused, when keys and peers are changed already.
before=$(wg showconf wg0 | sort)
wg genkey >"$tmp/hub.key"
hub 2 3 | sed 's/port: 51820/port: 51999/; s/mark: 42/mark: 43/' >"$tmp/bad.yaml"
cat >>"$tmp/bad.yaml" <<END
  dummy-devices:
    d0: {ethtool: {features: {no-such-feature: true}}}
END
refute 'a refusal later' netctl apply "$tmp/bad.yaml"
equal 'takes keys, port and peers back' "$before" "$(wg showconf wg0 | sort)"
ok 'and the sessions that were are there' ping_peer 2

# What cannot be undone waits for the confirm: the link may be there all the time.
is_back() { netctl -j status | grep -q '"confirm":{' && return 1; [ "$before" = "$(wg showconf wg0 2>&1 | sort)" ]; }
sed '/^  dummy/,$d' "$tmp/bad.yaml" >"$tmp/other.yaml"
ok 'another key, port and other peers, to be confirmed' netctl apply --confirm 1 "$tmp/other.yaml"
ok 'are taken back when nobody confirms them' wait_until is_back
printf 'network: {}\n' >"$tmp/empty.yaml"
ok 'no such link any more, to be confirmed' netctl apply --confirm 1 "$tmp/empty.yaml"
ok 'comes back with keys and peers when nobody confirms it' wait_until is_back
wg pubkey <"$tmp/hub.key" >"$tmp/hub.pub"
hub 1 2 3 >"$tmp/conf/hub.yaml"
ok 'a new private key' netctl reload
equal 'is that of the file' "$(cat "$tmp/hub.key")" "$(wg show wg0 private-key)"

secrets() { # FILE...: how many of the secrets are in there
	cat "$tmp/hub.key" "$tmp/psk" | sort -u | grep -c -F -f - "$@"
}
equal 'no secret in the log' 0 "$(secrets "$tmp/netctld.log")"
{
	netctl -j plan "$tmp/bad.yaml"
	netctl -j status
	netctl -j link show
	netctl plan "$tmp/bad.yaml"
	sed 's/port: 51820/prot: 51820/; s/shared: /shraed: /' "$tmp/conf/hub.yaml" >"$tmp/wrong.yaml"
	netctl check "$tmp/wrong.yaml"
	netctl -j check "$tmp/wrong.yaml"
} >"$tmp/answers" 2>&1
equal 'nor in what clients are told' 0 "$(secrets "$tmp/answers")"
ok 'who see the place all the same' grep -q 'unknown key "shraed"' "$tmp/answers"
equal 'the stored generation is for its owner alone' 600 "$(stat -c %a "$tmp/run/generation")"
printf '%s\n' 'network: {tunnels: {wg1: {mode: wireguard, key: /etc/hostname}}}' >"$tmp/file.yaml"
refute 'a file that holds no key is refused' netctl apply "$tmp/file.yaml"
ok 'at its place' grep -q 'file.yaml:1:49: ' "$tmp/netctld.log"
rm "$tmp/conf/hub.yaml"
ok 'what is removed from the files' netctl reload
refute 'is gone' ip link show dev wg0
done_testing
