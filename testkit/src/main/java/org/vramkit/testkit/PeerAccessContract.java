package org.vramkit.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;
import org.vramkit.api.device.Stream;

/** Tests access to the memory of another device. */
interface PeerAccessContract extends KitContext {

  @Test
  @DisplayName("with peer access enabled, once or twice, a device copies from another")
  default void peerCopy() {
    assumeSupported(Capability.PEER_ACCESS);
    Device other = getSecondDevice();
    PeerAccess access = getDevice().getPeerAccess();
    assumeTrue(access.canAccess(other), "the first device cannot reach the second");
    access.enable(other);
    access.enable(other);
    DeviceBytes.withMemory(
        other,
        4096,
        source ->
            withMemory(
                4096,
                target -> {
                  try (Stream producer = other.createStream();
                      Stream consumer = getDevice().createStream()) {
                    producer.fill(source, (byte) 9, 4096);
                    producer.synchronize();
                    consumer.copy(target, source, 4096);
                    DeviceBytes.assertFilled(consumer, target, 4096, (byte) 9, "peer copy");
                  }
                }));
    access.disable(other);
    access.disable(other);
  }

  @Test
  @DisplayName("plain memory of another device is copied without peer access in both directions")
  default void stagedCopy() {
    assumeSupported(Capability.PEER_ACCESS);
    Device other = getSecondDevice();
    DeviceBytes.withMemory(
        other,
        4096,
        theirs ->
            withMemory(
                4096,
                ours -> {
                  try (Stream there = other.createStream();
                      Stream here = getDevice().createStream()) {
                    there.fill(theirs, (byte) 7, 4096);
                    there.synchronize();
                    here.copy(ours, theirs, 4096);
                    DeviceBytes.assertFilled(here, ours, 4096, (byte) 7, "from another device");
                    here.fill(ours, (byte) 8, 4096);
                    here.copy(theirs, ours, 4096);
                    here.synchronize();
                    DeviceBytes.assertFilled(there, theirs, 4096, (byte) 8, "to another device");
                  }
                }));
  }
}
