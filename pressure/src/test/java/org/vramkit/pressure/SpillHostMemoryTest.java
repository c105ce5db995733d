package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.SimStream;

@DisplayName("45.2 The host memory of a spill store")
class SpillHostMemoryTest {
  /** More than a page-locked buffer of the simulator has. */
  private static final long LIMIT = 20 * ByteSize.GIB;

  private static final long FIRST_PIECE = 256 * MIB;

  private final Scene scene = new Scene(512);
  private final SimStream stream = scene.device.createStream();
  private final List<Spillable> spillables = new ArrayList<>();

  @AfterEach
  void nothingIsLost() {
    stream.close();
    scene.close();
  }

  private void fill(SpillStore store, long bytes) {
    Spillable made = store.create(bytes, 0);
    spillables.add(made);
    try (SpillableLease lease = made.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) spillables.size(), bytes);
    }
  }

  private long lockings() {
    return scene.gpu.getDriverCalls().getCount("cuMemAllocHost");
  }

  @Test
  @DisplayName("45.2 is locked as spills need it, whatever the limit")
  void inPieces() {
    try (SpillStore store = SpillStore.over(scene.allocator).hostLimit(LIMIT).build()) {
      fill(store, MIB);
      assertEquals(MIB, store.spill(MIB));
      assertEquals(1, lockings());
      fill(store, FIRST_PIECE - MIB);
      assertEquals(FIRST_PIECE - MIB, store.spill(FIRST_PIECE));
      assertEquals(1, lockings());
      fill(store, MIB);
      assertEquals(MIB, store.spill(MIB));
      assertEquals(2, lockings());
      assertHolds();
      spillables.forEach(Spillable::close);
    }
  }

  @Test
  @DisplayName("45.2 keeps the bytes of a spillable in several pieces, also on the way to disk")
  void acrossPieces(@TempDir Path folder) {
    long few = 96 * MIB;
    try (SpillStore store =
        SpillStore.over(scene.allocator).hostLimit(3 * few).disk(folder, LIMIT).build()) {
      for (int i = 0; i < 4; i++) {
        fill(store, few);
      }
      assertEquals(3 * few, store.spill(3 * few));
      assertEquals(2, lockings());
      assertHolds();
      assertEquals(4 * few, store.spill(4 * few));
      assertTrue(store.getStatistics().diskBytes() > 0, "nothing on disk");
      assertHolds();
      spillables.forEach(Spillable::close);
    }
  }

  private void assertHolds() {
    for (Spillable each : spillables) {
      int bytes = Math.toIntExact(each.getSize());
      try (SpillableLease lease = each.materialize(stream)) {
        ByteBuffer read = ByteBuffer.allocateDirect(bytes);
        stream.copyToHost(read, lease.getAddress());
        ByteBuffer wanted = ByteBuffer.allocate(bytes);
        Arrays.fill(wanted.array(), (byte) (spillables.indexOf(each) + 1));
        assertEquals(-1, wanted.mismatch(read));
      }
    }
  }
}
