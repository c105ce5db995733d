package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.says;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.2 Small blocks that are spilled")
class CopyBatchTest {
  private static final int BLOCKS = 100;
  private static final int BLOCK_BYTES = 64 * 1024;

  private final Scene scene = new Scene(16);
  private final SimStream stream = scene.device.createStream();
  private final SimStream other = scene.device.createStream();
  private final SpillStore store =
      SpillStore.over(scene.allocator).hostLimit(BLOCKS * BLOCK_BYTES).build();
  private final List<Spillable> blocks = new ArrayList<>();

  @BeforeEach
  void fill() {
    for (int i = 0; i < BLOCKS; i++) {
      Spillable block = store.create(BLOCK_BYTES, 0);
      blocks.add(block);
      try (SpillableLease lease = block.materialize(stream)) {
        stream.fill(lease.getAddress(), (byte) i, BLOCK_BYTES);
      }
    }
  }

  @AfterEach
  void nothingIsLost() {
    assertHolds(blocks);
    blocks.forEach(Spillable::close);
    store.close();
    stream.close();
    other.close();
    scene.close();
  }

  private void assertHolds(List<Spillable> wanted) {
    for (Spillable each : wanted) {
      try (SpillableLease lease = each.materialize(stream)) {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
        stream.copyToHost(bytes, lease.getAddress());
        assertEquals(blocks.indexOf(each), bytes.get(0));
        assertEquals(blocks.indexOf(each), bytes.get(BLOCK_BYTES - 1));
      }
    }
  }

  private void spillAll() {
    assertEquals(BLOCKS * BLOCK_BYTES, store.spill(Long.MAX_VALUE));
  }

  private long countOf(String call, Runnable action) {
    scene.gpu.getDriverCalls().reset();
    action.run();
    return scene.gpu.getDriverCalls().getCount(call);
  }

  @Test
  @DisplayName("45.2 leave by one call where they are neighbours, and come back with their bytes")
  void neighbours() {
    long copies = countOf("cuMemcpyDtoHAsync", this::spillAll);
    assertTrue(copies > 0 && copies < BLOCKS / 4, copies + " copies");
  }

  @Test
  @DisplayName("45.2 need no wait each, where the last one's work is done")
  void fewCalls() {
    stream.synchronize();
    assertEquals(0, countOf("cuStreamWaitEvent", this::spillAll));
    blocks.forEach(each -> each.materialize(stream).close());
    stream.synchronize();
    long queries = countOf("cuEventQuery", this::spillAll);
    assertTrue(queries < 5, queries + " queries");
    assertEquals(
        0,
        countOf(
            "cuEventCreate",
            () -> store.materialize(blocks.subList(0, 9), other).forEach(SpillableLease::close)));
  }

  @Test
  @DisplayName("45.2 return together by few calls, on any stream and in any order")
  void together() {
    spillAll();
    List<Spillable> mixed = new ArrayList<>(blocks);
    Collections.reverse(mixed.subList(0, BLOCKS / 2));
    List<SpillableLease> leases = new ArrayList<>();
    long marks = countOf("cuEventRecord", () -> leases.addAll(store.materialize(mixed, other)));
    assertEquals(1, marks);
    for (int i = 0; i < BLOCKS; i++) {
      assertEquals(other, leases.get(i).getStream());
      ByteBuffer bytes = ByteBuffer.allocate(1);
      other.copyToHost(bytes, leases.get(i).getAddress());
      assertEquals(blocks.indexOf(mixed.get(i)), bytes.get(0));
    }
    assertEquals(0, store.spill(Long.MAX_VALUE), "they are leased");
    leases.forEach(SpillableLease::close);
    spillAll();
    assertEquals(BLOCKS, store.getStatistics().restores());
  }

  @Test
  @DisplayName("45.2 some of which are there already return together with the others")
  void someAreThere() {
    spillAll();
    List<Spillable> some = blocks.subList(10, 20);
    assertHolds(some);
    store.materialize(blocks, other).forEach(SpillableLease::close);
    assertTrue(blocks.stream().allMatch(Spillable::isOnDevice));
    assertEquals(BLOCKS, store.getStatistics().restores());
  }

  @Test
  @DisplayName("45.2 all stay away, with no lease, if one has no room or the driver fails")
  void allOrNone() {
    spillAll();
    try (Spillable huge = store.create(scene.device.getProperties().totalMemoryBytes(), 0)) {
      List<Spillable> wanted = new ArrayList<>(blocks.subList(0, 5));
      wanted.add(huge);
      assertThrows(DeviceOutOfMemoryException.class, () -> store.materialize(wanted, stream));
    }
    for (String call : List.of("cuMemcpyHtoDAsync", "cuEventRecord")) {
      scene.gpu.getFaults().failNext(call, Fault.UNKNOWN);
      assertThrows(DriverException.class, () -> store.materialize(blocks, stream));
    }
    assertFalse(blocks.stream().anyMatch(Spillable::isOnDevice));
    assertEquals(0, store.getStatistics().leasedBytes());
    assertEquals(0, scene.allocator.getStatistics().getLiveBytes());
  }

  @Test
  @DisplayName("45.2 are refused twice in one call, and in a call of another store")
  void misuse() {
    says(
        "twice in one call",
        assertThrows(
            InvalidArgumentException.class,
            () -> store.materialize(List.of(blocks.get(0), blocks.get(0)), stream)));
    try (SpillStore foreign = SpillStore.over(scene.allocator).build()) {
      says(
          "of another store",
          assertThrows(InvalidArgumentException.class, () -> foreign.materialize(blocks, stream)));
    }
  }
}
