package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;

@DisplayName("Fills and copies of addresses that belong to no allocation")
class FarAddressesTest {
  private static final int SIZE = 64;

  /** Work on an address, by the name that reports give it. */
  private record Case(String name, Work work) {
    @Override
    public String toString() {
      return name;
    }
  }

  private interface Work {
    void submit(Scene scene, PinnedBuffer pinned, long address, long bytes);
  }

  static List<Case> cases() {
    return List.of(
        new Case("fill", (s, pinned, at, bytes) -> s.s1.fill(at, (byte) 1, bytes)),
        new Case("copy", (s, pinned, at, bytes) -> s.s1.copy(at, s.block, bytes)),
        new Case("copy", (s, pinned, at, bytes) -> s.s1.copy(s.block, at, bytes)),
        new Case(
            "copy to device",
            (s, pinned, at, bytes) -> s.s1.copyToDevice(at, ByteBuffer.allocate(SIZE))),
        new Case(
            "copy to host",
            (s, pinned, at, bytes) -> s.s1.copyToHost(ByteBuffer.allocate(SIZE), at)),
        new Case(
            "copy from pinned", (s, pinned, at, bytes) -> s.s1.copyToDevice(at, pinned, 0, SIZE)),
        new Case("copy to pinned", (s, pinned, at, bytes) -> s.s1.copyToHost(pinned, 0, at, SIZE)));
  }

  private static Scene scene() {
    Scene scene = new Scene();
    scene.s1.fill(scene.block, (byte) 1, Scene.SIZE);
    return scene;
  }

  @ParameterizedTest
  @MethodSource("cases")
  @DisplayName("are refused, and judged as kernels are, by their name and range")
  void judged(Case tested) {
    for (long address : new long[] {0, 1, 1L << 50, Long.MAX_VALUE - SIZE, -1L << 40, -SIZE}) {
      try (Scene scene = scene();
          PinnedBuffer pinned = scene.device.getPinnedMemory().allocate(SIZE)) {
        assertThrows(
            InvalidArgumentException.class, () -> tested.work.submit(scene, pinned, address, SIZE));
        scene.s1.synchronize();
        HazardReport report = scene.expect(HazardCode.ILLEGAL_ADDRESS).get(0);
        assertEquals(tested.name, report.later().operation());
        assertEquals(address, report.later().address());
        assertEquals(SIZE, report.later().bytes());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @DisplayName("are refused where the range goes beyond the last address")
  void refused(Case tested) {
    try (Scene scene = scene();
        PinnedBuffer pinned = scene.device.getPinnedMemory().allocate(SIZE)) {
      for (long address : new long[] {Long.MAX_VALUE, -1}) {
        InvalidArgumentException refusal =
            assertThrows(
                InvalidArgumentException.class,
                () -> tested.work.submit(scene, pinned, address, SIZE));
        assertTrue(
            refusal.toString().contains(tested.name + " cannot access 64 bytes from 0x"),
            refusal.toString());
      }
      scene.s1.synchronize();
      scene.expect();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MAX_VALUE})
  @DisplayName("blocks of pools without a byte, or beyond the last address, are rejected")
  void badBlocks(long bytes) {
    try (Scene scene = scene()) {
      assertThrows(
          InvalidArgumentException.class, () -> scene.handOut(scene.block, bytes, scene.s1));
      scene.write(scene.s1);
      scene.expect();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  @DisplayName("that begin in an allocation are out of bounds, and take no time")
  void tooLong(Case tested) {
    if (!tested.name.equals("fill") && !tested.name.equals("copy")) {
      return;
    }
    try (Scene scene = scene();
        PinnedBuffer pinned = scene.device.getPinnedMemory().allocate(SIZE)) {
      assertThrows(
          InvalidArgumentException.class,
          () -> tested.work.submit(scene, pinned, scene.block, Long.MAX_VALUE - scene.block));
      scene.s1.synchronize();
      assertEquals(HazardCode.OUT_OF_BOUNDS, scene.backend.getHazards().get(0).code());
      assertThrows(
          InvalidArgumentException.class,
          () -> tested.work.submit(scene, pinned, scene.block, Long.MAX_VALUE));
    }
  }
}
