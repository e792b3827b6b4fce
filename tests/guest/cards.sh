#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a network card's driver is told (virtio): rings and coalescing, which links without hardware have not.
. "$NETCTLD_SOURCE/tests/lib.sh"
need_cmd ip ethtool jq
[ -e /sys/class/net/eth0/device/driver ] || skip 'no network card is here'
tmp=${tmp:-$(mktemp -d)}
mkdir -p "$tmp/conf"

ring() { # RX|TX: now
	ethtool -g eth0 | sed -n "/Current/,\$s/^$1:[[:blank:]]*//p"
}
card() { # RING FRAMES
	cat >"$tmp/conf/card.yaml" <<-END
	network:
	  ethernets:
	    eth0:
	      generic-receive-offload: false
	      ethtool:
	        rings: {rx: $1, tx: $1}
	        coalesce: {tx-frames: $2}
	END
}

echo "# rings $(ring RX) and $(ring TX); $(ethtool -c eth0 | grep tx-frames:)"
card 128 1
netctld_start "$tmp/conf"
wait_until test "$(netctl -j status | jq -r .state)" = settled
equal 'rings' '128 128' "$(ring RX) $(ring TX)"
equal 'coalescing' 1 "$(ethtool -c eth0 | sed -n 's/^tx-frames:[[:blank:]]*//p')"
equal 'a feature' off "$(ethtool -k eth0 | sed -n 's/^generic-receive-offload: //p')"
equal 'a second apply does nothing' unchanged "$(netctl -j apply "$tmp/conf/card.yaml" | jq -r .result.state)"
card 64 5
refute 'what the driver refuses' netctl reload
equal 'is undone with what came before it' '128 128 1' \
	"$(ring RX) $(ring TX) $(ethtool -c eth0 | sed -n 's/^tx-frames:[[:blank:]]*//p')"
card 1000000 1
refute 'a ring that is too large is refused' netctl reload
ok 'with the words of the kernel' grep -q 'the kernel says: requested ring size exceeds maximum' "$tmp/netctld.log"
done_testing
