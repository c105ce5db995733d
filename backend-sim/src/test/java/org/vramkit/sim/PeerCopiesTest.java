package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.sim.Scene.SIZE;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.DriverPool;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("The driver stages copies between devices without peer access:")
class PeerCopiesTest {
  private static final DeviceProfile NO_PEER =
      DeviceProfile.builder("no peer")
          .from(DeviceProfile.SMALL_8GIB)
          .without(Capability.PEER_ACCESS)
          .build();

  private final SimBackend backend = SimBackend.builder().device(NO_PEER).device(NO_PEER).build();
  private final SimDevice here = backend.getDevice(0);
  private final SimDevice there = backend.getDevice(1);
  private final SimStream ours = here.createStream();
  private final SimStream theirs = there.createStream();
  private final long mine = here.getMemory().allocate(SIZE);
  private final long other = there.getMemory().allocate(SIZE);

  @AfterEach
  void close() {
    backend.close();
  }

  private static void order(SimStream before, SimStream after) {
    try (SimEvent event = before.getDevice().createEvent()) {
      event.record(before);
      after.waitFor(event);
    }
  }

  private static int firstByte(SimStream stream, long address) {
    ByteBuffer read = ByteBuffer.allocateDirect(1);
    stream.copyToHost(read, address);
    return read.get(0);
  }

  private void expect(HazardCode... codes) {
    assertEquals(
        List.of(codes),
        backend.getHazards().stream().map(HazardReport::code).toList(),
        () -> backend.getHazards().toString());
  }

  @Test
  @DisplayName("plain memory goes either way, also where devices can be no peers")
  void bothWays() {
    theirs.fill(other, (byte) 7, SIZE);
    order(theirs, ours);
    ours.copy(mine, other, SIZE);
    assertEquals(7, firstByte(ours, mine));
    ours.fill(mine, (byte) 8, SIZE);
    ours.copy(other, mine, SIZE);
    order(ours, theirs);
    assertEquals(8, firstByte(theirs, other));
    expect();
  }

  @Test
  @DisplayName("copies between plain memory and the host do so, page-locked or not")
  void withHost() {
    try (PinnedBuffer buffer = here.getPinnedMemory().allocate(SIZE)) {
      backend.hostWrites(buffer, 0, SIZE);
      buffer.getBytes(0, 1).put(0, (byte) 5);
      ours.copyToDevice(other, buffer, 0, SIZE);
      assertEquals(5, firstByte(ours, other));
      ours.copyToDevice(other, ByteBuffer.wrap(new byte[] {6}));
      ours.copyToHost(buffer, 0, other, SIZE);
      ours.synchronize();
      assertEquals(6, buffer.getBytes(0, 1).get(0));
      expect();
    }
  }

  @Test
  @DisplayName("they come in the order of their stream alone")
  void inStreamOrder() {
    theirs.fill(other, (byte) 7, SIZE);
    ours.copy(mine, other, SIZE);
    theirs.fill(other, (byte) 9, SIZE);
    expect(HazardCode.RACE_RAW, HazardCode.RACE_WAR);
  }

  @Test
  @DisplayName("kernels and fills are not staged")
  void kernels() {
    assertThrows(InvalidArgumentException.class, () -> ours.fill(other, (byte) 1, SIZE));
    expect(HazardCode.WRONG_DEVICE);
  }

  @Test
  @DisplayName("memory of driver pools has to be opened to the device that copies")
  void pooled() {
    try (Scene scene = new Scene();
        DriverPool pool = scene.other.getDriverPools().create(0);
        SimStream stream = scene.other.createStream()) {
      long block = pool.allocate(SIZE, stream);
      order(stream, scene.s1);
      assertThrows(InvalidArgumentException.class, () -> scene.s1.copy(block, scene.block, SIZE));
      scene.expect(HazardCode.PEER_NOT_ENABLED);
      order(scene.s1, stream);
      pool.free(block, stream);
    }
  }

  @Test
  @DisplayName("the pedantic checker asks for peer access, without which a copy takes a detour")
  void pedantic() {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      scene.s1.copy(scene.other.getMemory().allocate(SIZE), scene.block, SIZE);
      scene.expect(HazardCode.PEER_NOT_ENABLED);
    }
  }

  @Test
  @DisplayName("the checker judges the order of such a copy, and memory freed during it")
  void pedanticOrder() {
    try (Scene scene = new Scene(1, Scene.PEDANTIC)) {
      long target = scene.other.getMemory().allocate(SIZE);
      scene.write(scene.s2);
      scene.s1.copy(target, scene.block, SIZE);
      scene.other.synchronize();
      scene.other.getMemory().free(target);
      scene.expect(HazardCode.RACE_RAW, HazardCode.PEER_NOT_ENABLED, HazardCode.FREE_IN_FLIGHT);
    }
  }

  @Test
  @DisplayName("access to a pool is refused, with the devices that lack peer access")
  void namesTheDevicesWithoutPeerAccess() {
    DriverPool pool = here.getDriverPools().create(0);
    assertTells(pool, there, "both devices do not support peer access");
    try (SimBackend mixed =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(NO_PEER).build()) {
      SimDevice peer = mixed.getDevice(0);
      SimDevice noPeer = mixed.getDevice(1);
      // Beside a device without peer access, the other one has none either.
      assertTells(
          peer.getDriverPools().create(0), noPeer, "both devices do not support peer access");
      assertTells(
          noPeer.getDriverPools().create(0), peer, "both devices do not support peer access");
    }
  }

  private static void assertTells(DriverPool pool, SimDevice other, String words) {
    NotSupportedException refusal =
        assertThrows(NotSupportedException.class, () -> pool.setAccess(other, true));
    assertTrue(refusal.toString().contains(words), refusal::toString);
    pool.close();
  }
}
