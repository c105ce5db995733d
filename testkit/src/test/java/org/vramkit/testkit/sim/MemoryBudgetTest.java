package org.vramkit.testkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.JUnitException;
import org.opentest4j.AssertionFailedError;
import org.vramkit.api.device.MemoryObserver;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimStream;

@DisplayName("A test with a memory budget is judged by the peaks of its allocators")
class MemoryBudgetTest {
  /** Takes a segment from the driver, and blocks of it as an allocator does. */
  private static void allocate(SimDevice device, SimStream stream, long reserved, long... blocks) {
    MemoryObserver observer = device.getMemoryObserver();
    long segment = device.getMemory().allocate(reserved);
    long address = segment;
    for (long bytes : blocks) {
      weights(observer, address, bytes, stream);
      address += bytes;
    }
    for (int i = blocks.length - 1; i >= 0; i--) {
      address -= blocks[i];
      observer.freed(address, stream);
    }
    stream.synchronize();
    device.getMemory().free(segment);
  }

  private static void weights(MemoryObserver observer, long address, long bytes, SimStream stream) {
    observer.allocated(address, bytes, stream, "weights");
  }

  static class Budgets {
    @Test
    @MemoryBudget("2MiB")
    void within(SimDevice device, SimStream stream) {
      allocate(device, stream, 2 << 20, 1 << 20, 1 << 20);
    }

    @Test
    @MemoryBudget("2MiB")
    void twice(SimDevice device, SimStream stream) {
      allocate(device, stream, 2 << 20, 2 << 20);
      allocate(device, stream, 2 << 20, 2 << 20);
    }
  }

  @Test
  @DisplayName("Peaks at the budget pass, and memory that is used again counts once")
  void passes() {
    Outcome.of(Budgets.class).expect(2, 0);
  }

  @SimulatedGpu(seed = 3)
  static class Requested {
    @Test
    @MemoryBudget("1MiB")
    void exceeds(SimDevice device, SimStream stream) {
      allocate(device, stream, 4 << 20, 1 << 20, 1000);
    }
  }

  @Test
  @DisplayName("A peak above the budget fails it, with both peaks and the owners")
  void requested() {
    String message =
        Outcome.of(Requested.class).expect(0, 1).failure(MemoryBudgetError.class).getMessage();
    assertTrue(
        message.startsWith(
            "@MemoryBudget(\"1MiB\") is exceeded on device 0: requested peak 1.00 MiB (1,049,576"
                + " bytes), reserved peak 4.00 MiB (4,194,304 bytes)"),
        message);
    assertTrue(
        message.contains(
            "  1.00 MiB in 2 blocks  tag weights, at " + MemoryBudgetTest.class.getName()),
        message);
    assertTrue(message.contains("MemoryBudgetTest.weights(MemoryBudgetTest.java:"), message);
    assertTrue(message.contains("-Dvramkit.seed=3"), message);
  }

  static class Reserved {
    @Test
    @MemoryBudget("1MiB")
    void exceeds(SimDevice device, SimStream stream) {
      allocate(device, stream, 2 << 20, 1000);
    }

    @Test
    @MemoryBudget("1MiB")
    void exceedsAlone(SimDevice device) {
      device.getMemory().free(device.getMemory().allocate(2 << 20));
    }
  }

  @Test
  @DisplayName("Reserved memory counts as well, also without an allocator")
  void reserved() {
    for (Throwable each : Outcome.of(Reserved.class).expect(0, 2).failures()) {
      String message = ((MemoryBudgetError) each).getMessage();
      assertTrue(message.contains("reserved peak 2.00 MiB (2,097,152 bytes)"), message);
      assertTrue(
          message.contains("  1000 B in 1 block  ")
              || message.contains("the memory came from the driver directly"),
          message);
    }
  }

  @SimulatedGpu(devices = 2)
  static class Second {
    @SimulatedTest(seeds = 2)
    @MemoryBudget("1MiB")
    void exceeds(@Ordinal(1) SimDevice device, @Ordinal(1) SimStream stream) {
      allocate(device, stream, 2 << 20, 2 << 20);
    }
  }

  @Test
  @DisplayName("Each device has the budget, in every run of a repeated test")
  void secondDevice() {
    Outcome.of(Second.class)
        .failures()
        .forEach(
            each -> assertTrue(each.toString().contains("exceeded on device 1"), each::toString));
    assertFalse(Outcome.of(Second.class).failures().isEmpty());
  }

  static class Failing {
    @Test
    @MemoryBudget("1MiB")
    void fails(SimDevice device, SimStream stream) {
      allocate(device, stream, 2 << 20, 2 << 20);
      fail("by itself");
    }
  }

  @Test
  @DisplayName("A test that fails by itself is not checked")
  void failing() {
    AssertionFailedError error =
        Outcome.of(Failing.class).expect(0, 1).failure(AssertionFailedError.class);
    assertEquals("by itself", error.getMessage());
    for (Throwable each : error.getSuppressed()) {
      assertFalse(each instanceof MemoryBudgetError, each.toString());
    }
  }

  static class Unused {
    @Test
    @MemoryBudget("1MiB")
    void opensNothing() {}
  }

  static class Wrong {
    @Test
    @MemoryBudget("lots")
    void hasNoSize(SimDevice device) {
      assertEquals(0, device.getOrdinal());
    }
  }

  @Test
  @DisplayName("A budget that checks nothing, or is no size, is an error")
  void wrong() {
    MemoryBudgetError unused =
        Outcome.of(Unused.class).expect(0, 1).failure(MemoryBudgetError.class);
    assertTrue(unused.getMessage().contains("opened no simulated GPU; take a SimDevice"));
    JUnitException wrong = Outcome.of(Wrong.class).expect(0, 1).failure(JUnitException.class);
    assertTrue(String.valueOf(wrong.getMessage()).contains("@MemoryBudget(\"lots\"): not a size"));
  }

  @Test
  @DisplayName("The peak of a device lists the blocks that were live then")
  void peak() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        SimStream stream = backend.getDevice(0).createStream()) {
      SimDevice device = backend.getDevice(0);
      allocate(device, stream, 8 * ByteSize.MIB, ByteSize.MIB, 2 * ByteSize.MIB);
      allocate(device, stream, ByteSize.MIB, ByteSize.MIB);
      assertEquals(3 * ByteSize.MIB, device.getMemoryPeak().requestedBytes());
      assertEquals(8 * ByteSize.MIB, device.getMemoryPeak().reservedBytes());
      assertEquals(2, device.getMemoryPeak().blocks().size());
    }
  }
}
