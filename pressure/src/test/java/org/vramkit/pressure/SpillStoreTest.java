package org.vramkit.pressure;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.pressure.Scene.MIB;
import static org.vramkit.pressure.Scene.says;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.Fault;

@DisplayName("45.2 A spill store")
class SpillStoreTest {
  @TempDir Path folder;

  private final Scene scene = new Scene(64);
  private final SimStream stream = scene.device.createStream();

  @AfterEach
  void nothingIsLost() throws IOException {
    stream.close();
    scene.close();
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  private SpillStore store(long hostMebibytes, long diskMebibytes) {
    return SpillStore.over(scene.allocator)
        .hostLimit(hostMebibytes * MIB)
        .disk(folder, diskMebibytes * MIB)
        .build();
  }

  private Spillable filled(SpillStore store, int priority, int value) {
    Spillable made = store.create(30 * MIB, priority);
    try (SpillableLease lease = made.materialize(stream)) {
      stream.fill(lease.getAddress(), (byte) value, lease.getSize());
    }
    return made;
  }

  private int read(Spillable spillable) {
    try (SpillableLease lease = spillable.materialize(stream)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      stream.copyToHost(last, lease.getAddress() + spillable.getSize() - 1);
      return last.get(0);
    }
  }

  @Test
  @DisplayName("45.2 takes nothing for what was never materialized")
  void lazy() {
    try (SpillStore store = store(0, 0);
        Spillable empty = store.create(Long.MAX_VALUE, 0)) {
      assertFalse(empty.isOnDevice());
      assertEquals(0, scene.allocator.getStatistics().reserved().current());
    }
  }

  @Test
  @DisplayName("45.2 spills the lowest priority first, then the least recently used, to the host")
  void order() {
    try (SpillStore store = store(64, 0);
        Spillable high = filled(store, 1, 1);
        Spillable low = filled(store, 0, 2);
        Spillable third = filled(store, 0, 3)) {
      assertTrue(high.isOnDevice() && third.isOnDevice());
      assertFalse(low.isOnDevice());
      assertEquals(30 * MIB, store.getStatistics().hostBytes());
      assertEquals(2, read(low));
      assertFalse(third.isOnDevice());
      assertEquals(3, read(third));
      assertEquals(1, read(high));
    }
  }

  @Test
  @DisplayName("45.2 spills to disk if the host is full, and restores the right contents")
  void toDisk() {
    try (SpillStore store = store(32, 64);
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2);
        Spillable third = filled(store, 0, 3);
        Spillable fourth = filled(store, 0, 4)) {
      SpillStatistics now = store.getStatistics();
      assertEquals(60 * MIB, now.deviceBytes());
      assertEquals(30 * MIB, now.hostBytes());
      assertEquals(30 * MIB, now.diskBytes());
      assertEquals(
          List.of(1, 2, 3, 4), Stream.of(first, second, third, fourth).map(this::read).toList());
    }
  }

  @Test
  @DisplayName("45.2 spills for allocations that stay on the device, before they fail")
  void forOthers() {
    try (SpillStore store = store(64, 0);
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      try (Allocation plain = store.getAllocator().allocate(50 * MIB, stream)) {
        assertFalse(first.isOnDevice() || second.isOnDevice(), plain.toString());
      }
      assertEquals(List.of(1, 2), List.of(read(first), read(second)));
      assertEquals(30 * MIB, store.spill(1));
    }
  }

  @Test
  @DisplayName("45.2 never spills what is leased: the allocation fails, and says by itself")
  void leased() {
    try (SpillStore store = store(64, 0);
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2);
        SpillableLease lease = first.materialize(stream);
        SpillableLease other = second.materialize(stream)) {
      assertThrows(
          DeviceOutOfMemoryException.class, () -> store.getAllocator().allocate(20 * MIB, stream));
      assertEquals(lease.getSize() + other.getSize(), store.getStatistics().leasedBytes());
      assertEquals(0, store.spill(Long.MAX_VALUE));
    }
  }

  @Test
  @DisplayName("45.2 a disk that fills up: the rest stays where it was, and comes out right")
  void fullDisk() {
    try (SpillStore store = store(0, 40);
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      assertThrows(
          DeviceOutOfMemoryException.class, () -> store.getAllocator().allocate(60 * MIB, stream));
      assertEquals(30 * MIB, store.getStatistics().diskBytes());
      assertTrue(second.isOnDevice());
      assertEquals(List.of(2, 1), List.of(read(second), read(first)));
    }
  }

  @Test
  @DisplayName(
      "45.2 the out-of-memory error contains the failure of the disk, and no bytes are lost")
  void failingDisk() throws IOException {
    Path lost = folder.resolve("lost");
    SpillStore.Builder builder = SpillStore.over(scene.allocator).disk(lost, 100 * MIB);
    try (SpillStore store = builder.build();
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      // The folder existed when the store was created, and is missing when it is needed.
      Files.delete(lost);
      DeviceOutOfMemoryException failed =
          assertThrows(
              DeviceOutOfMemoryException.class,
              () -> store.getAllocator().allocate(30 * MIB, stream));
      assertTrue(
          Stream.of(failed.getSuppressed()).anyMatch(IOException.class::isInstance),
          List.of(failed.getSuppressed()).toString());
      assertTrue(store.getStatistics().failures() > 0);
      assertEquals(List.of(1, 2), List.of(read(first), read(second)));
    }
  }

  @Test
  @DisplayName("45.2 refuses a stream of another device, and keeps the bytes")
  void foreignStream() {
    try (Scene other = new Scene(64);
        SpillStore store = store(64, 0);
        Spillable first = filled(store, 0, 1)) {
      SimStream foreign = other.device.getDefaultStream();
      assertThrows(InvalidArgumentException.class, () -> first.materialize(foreign));
      assertEquals(1, read(first));
    }
  }

  @Test
  @DisplayName("45.2 creates a missing folder, and rejects one that cannot be created, at once")
  void missingFolder() throws IOException {
    Path made = folder.resolve("new").resolve("deep");
    SpillStore.over(scene.allocator).disk(made, MIB).build().close();
    assertTrue(Files.isDirectory(made));
    Files.delete(made);
    Path file = Files.createFile(folder.resolve("new").resolve("file"));
    SpillStore.Builder wrong = SpillStore.over(scene.allocator).disk(file, MIB);
    says("a folder that can be created", assertThrows(UncheckedIOException.class, wrong::build));
    Files.delete(file);
    Files.delete(folder.resolve("new"));
  }

  @Test
  @DisplayName("45.2 refuses to spill less than nothing, and a stream or folder that is null")
  void misuse() {
    try (SpillStore store = store(64, 0);
        Spillable first = filled(store, 0, 1)) {
      says("negative", assertThrows(InvalidArgumentException.class, () -> store.spill(-1)));
      assertEquals(0, store.spill(0));
      assertTrue(first.isOnDevice());
      says(
          "stream",
          assertThrows(NullPointerException.class, () -> first.materialize(NullArgument.of())));
      SpillStore.Builder builder = SpillStore.over(scene.allocator);
      says(
          "inFolder",
          assertThrows(NullPointerException.class, () -> builder.disk(NullArgument.of(), 1)));
      assertEquals(1, read(first));
    }
  }

  @Test
  @DisplayName("45.2 reports sums beyond the range of long as its maximum")
  void endlessBytes() {
    try (SpillStore store = store(0, 0)) {
      Spillable one = store.create(Long.MAX_VALUE, 0);
      Spillable two = store.create(Long.MAX_VALUE, 0);
      says(
          "2 open spillables of 8.00 EiB", assertThrows(IllegalStateException.class, store::close));
      one.close();
      two.close();
    }
  }

  @Test
  @DisplayName("45.2 bytes that were changed on disk are found when they are read")
  void changedOnDisk() throws IOException {
    try (DiskStorage disk = new DiskStorage(folder, MIB)) {
      DiskStorage.Extent extent = disk.write(MIB, (buffer, offset) -> buffer.put(0, (byte) 1));
      assertEquals(null, disk.write(1, (buffer, offset) -> {}), "full");
      disk.read(requireNonNull(extent), (buffer, offset) -> assertEquals(1, buffer.get(0)));
      disk.open().seek(12345);
      disk.open().write(77);
      says(
          "was changed",
          assertThrows(IOException.class, () -> disk.read(extent, (buffer, offset) -> {})));
      disk.open().setLength(100);
      says(
          "too short",
          assertThrows(IOException.class, () -> disk.read(extent, (buffer, offset) -> {})));
    }
  }

  @Test
  @DisplayName("45.2 a host without page-locked memory: the disk is used")
  void noHostMemory() {
    scene.gpu.getFaults().failEvery("cuMemAllocHost", Fault.OUT_OF_MEMORY);
    try (SpillStore store = store(64, 64);
        Spillable first = filled(store, 0, 1)) {
      store.spill(1);
      assertEquals(30 * MIB, store.getStatistics().diskBytes());
      assertEquals(1, read(first));
    }
    scene.gpu.getFaults().clear();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  @DisplayName("45.2 refuses sizes that are none")
  void sizes(long bytes) {
    try (SpillStore store = store(64, 0)) {
      says(
          "at least 1 byte, not " + bytes,
          assertThrows(InvalidArgumentException.class, () -> store.create(bytes, 0)));
      assertThrows(
          InvalidArgumentException.class,
          () -> SpillStore.over(scene.allocator).hostLimit(Math.min(-1, bytes)));
    }
  }

  @Test
  @DisplayName("45.2 refuses to close what is leased, and all use after a close")
  void closed() {
    SpillStore store = store(64, 0);
    Spillable first = filled(store, 0, 1);
    SpillableLease lease = first.materialize(stream);
    says("1 open lease", assertThrows(IllegalStateException.class, first::close));
    says("1 open spillable of 30.00 MiB", assertThrows(IllegalStateException.class, store::close));
    lease.close();
    lease.close();
    assertThrows(ClosedException.class, lease::getAddress);
    assertEquals(1, read(first));
    first.close();
    first.close();
    assertThrows(ClosedException.class, () -> first.materialize(stream));
    store.close();
    store.close();
    assertThrows(ClosedException.class, () -> store.create(1, 0));
    assertThrows(ClosedException.class, () -> store.spill(1));
    assertThrows(ClosedException.class, () -> store.getAllocator().allocate(1, stream));
  }

  @Test
  @DisplayName("45.2 a stream that is closed under a lease: its work is waited for, not lost")
  void closedStream() {
    try (SpillStore store = store(64, 0);
        Spillable first = store.create(30 * MIB, 0)) {
      SimStream other = scene.device.createStream();
      SpillableLease lease = first.materialize(other);
      other.fill(lease.getAddress(), (byte) 9, lease.getSize());
      other.close();
      lease.close();
      assertThrows(ClosedException.class, () -> first.materialize(other));
      assertEquals(30 * MIB, store.spill(1));
      assertEquals(9, read(first));
    }
  }

  @Test
  @DisplayName("45.2 more than the device at once is an out of memory, without a spill")
  void tooLarge() {
    try (SpillStore store = store(64, 0);
        Spillable first = filled(store, 0, 1);
        Spillable huge = store.create(Long.MAX_VALUE, 0)) {
      assertThrows(DeviceOutOfMemoryException.class, () -> huge.materialize(stream));
      assertTrue(first.isOnDevice());
    }
  }

  @Test
  @DisplayName("45.2 an interrupted thread moves bytes to disk and back, and stays interrupted")
  void interrupted() {
    try (SpillStore store = store(0, 100);
        Spillable first = filled(store, 0, 1);
        Spillable second = filled(store, 0, 2)) {
      Thread.currentThread().interrupt();
      assertEquals(60 * MIB, store.spill(60 * MIB));
      assertTrue(Thread.interrupted());
      Thread.currentThread().interrupt();
      assertEquals(1, read(first));
      assertTrue(Thread.interrupted());
      assertEquals(2, read(second));
    }
  }

  @Test
  @DisplayName("45.2 keeps nothing of streams that are closed, however long bytes stay there")
  void manyStreams() {
    try (SpillStore store = store(0, 0);
        Spillable first = filled(store, 0, 1)) {
      for (int i = 0; i < 100; i++) {
        SimStream other = scene.device.createStream();
        first.materialize(other).close();
        other.synchronize();
        other.close();
      }
      assertTrue(first.uses.size() < 4, first.uses.toString());
    }
  }

  @Test
  @DisplayName("45.2 after a stream closed under a lease and a failed wait, the next use waits")
  void closedStreamAndFailingDriver() {
    try (SpillStore store = store(64, 0);
        Spillable first = store.create(30 * MIB, 0)) {
      SimStream other = scene.device.createStream();
      SpillableLease lease = first.materialize(other);
      other.fill(lease.getAddress(), (byte) 9, lease.getSize());
      other.close();
      scene.gpu.getFaults().failNext("cuCtxSynchronize", Fault.UNKNOWN);
      assertThrows(GpuException.class, lease::close);
      assertEquals(30 * MIB, store.spill(1));
      assertEquals(9, read(first));
    }
  }

  @Test
  @DisplayName("45.2 a driver that fails behind a copy to the device: its source is not used again")
  void failsBehindTheCopy() {
    try (SpillStore store = store(32, 0);
        SimStream other = scene.device.createStream()) {
      Spillable first = filled(store, 0, 1);
      assertEquals(30 * MIB, store.spill(1));
      scene.gpu.getFaults().failNext("cuEventRecord", Fault.UNKNOWN);
      assertThrows(GpuException.class, () -> first.materialize(other));
      assertFalse(first.isOnDevice());
      first.close();
      try (Spillable second = filled(store, 0, 2)) {
        assertEquals(30 * MIB, store.spill(1));
        assertEquals(2, read(second));
      }
    }
  }
}
