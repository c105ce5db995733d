package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.error.GpuException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: tiles that move to another device")
class MoveTest {

  private static ScatterBuilder moving(SimBackend backend) {
    return Scatter.builder(DevicePool.of(backend)).failurePolicy(FailurePolicy.MOVE_TILE);
  }

  @Test
  @DisplayName("19 a device that failed in one round gets nothing in the rounds after it")
  void laterRounds() {
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).bytesPerUnit(ByteSize.GIB).build()) {
      AtomicIntegerArray done = new AtomicIntegerArray(16);
      AtomicInteger triedOnSick = new AtomicInteger();
      Set<Integer> indexes = ConcurrentHashMap.newKeySet();
      ScatterReport report =
          scatter.run(
              16,
              tile -> {
                if (tile.getDevice().getOrdinal() == 1) {
                  triedOnSick.incrementAndGet();
                  throw new DriverException("device 1 is sick");
                }
                assertTrue(indexes.add(tile.getIndex()), "index " + tile.getIndex() + " twice");
                for (long i = tile.getTile().from(); i < tile.getTile().to(); i++) {
                  done.incrementAndGet((int) i);
                }
              });
      assertEquals(1, triedOnSick.get());
      assertEquals(1, report.moves());
      for (int i = 0; i < 16; i++) {
        assertEquals(1, done.get(i), "unit " + i);
      }
      assertEquals(Set.of(0, 1, 2, 3), indexes);
      assertTrue(report.tiles().stream().allMatch(tile -> tile.ordinal() == 0), report.toString());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("19 later tiles of a device that failed go to the others, and keep their indexes")
  void laterTilesAreShared() {
    try (SimBackend backend = backend(3);
        Scatter scatter = moving(backend).bytesPerUnit(ByteSize.GIB).build()) {
      ConcurrentHashMap<Integer, Tile> byIndex = new ConcurrentHashMap<>();
      ScatterReport report =
          scatter.run(
              48,
              tile -> {
                if (tile.getDevice().getOrdinal() == 1) {
                  throw new DriverException("device 1 is sick");
                }
                assertNull(byIndex.put(tile.getIndex(), tile.getTile()), "an index twice");
              });
      assertEquals(1, report.moves());
      Units.assertCovered(report.tiles(), 48);
      assertEquals(12, byIndex.size());
      byIndex.forEach((index, tile) -> assertEquals(index * 4L, tile.from(), "tile " + index));
      assertEquals(
          Set.of(0, 2), report.tiles().stream().map(Tile::ordinal).collect(Collectors.toSet()));
    }
  }

  @Test
  @DisplayName("19 when the last device fails in a later round, the CPU does the whole batch once")
  void noneLeft() {
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).bytesPerUnit(ByteSize.GIB).build()) {
      List<Long> onCpu = new CopyOnWriteArrayList<>();
      ScatterReport report =
          scatter.run(
              16,
              (from, to) -> onCpu.addAll(List.of(from, to)),
              tile -> {
                if (tile.getDevice().getOrdinal() == 1 || tile.getTile().from() >= 8) {
                  throw new DriverException("sick");
                }
              });
      assertTrue(report.onCpu());
      assertEquals(List.of(0L, 16L), onCpu);
      // What devices did before was dropped.
      assertEquals(List.of(new Tile(Tile.CPU, 0, 16)), report.getOrder());
      assertEquals(List.of(0, 1), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("19 no tile moves to a device that failed in the same round")
  void failedInSameRound() {
    try (SimBackend backend = backend(3);
        Scatter scatter = moving(backend).build()) {
      ScatterReport report =
          scatter.run(
              3,
              tile -> {
                if (tile.getDevice().getOrdinal() < 2) {
                  throw new DriverException("sick");
                }
              });
      assertEquals(2, report.moves());
      assertEquals(List.of(2, 2, 2), report.tiles().stream().map(Tile::ordinal).toList());
      assertEquals(List.of(0, 1), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("19 after a fatal error nothing moves, also no tile that failed harmlessly before")
  void fatalBesideHarmless() {
    try (SimBackend backend = backend(3);
        Scatter scatter = moving(backend).build()) {
      AtomicInteger tries = new AtomicInteger();
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      3,
                      tile -> {
                        tries.incrementAndGet();
                        if (tile.getIndex() == 0) {
                          throw new DriverException("sick");
                        }
                        if (tile.getIndex() == 1) {
                          throw new FatalDeviceException("lost");
                        }
                      }));
      assertEquals(3, tries.get());
      assertTrue(e.toString().contains("restart the process"), e.toString());
    }
  }

  @Test
  @DisplayName("19 a fatal error on the second device says restart, and what the first failed by")
  void fatalOnSecond() {
    DriverException sick = new DriverException("sick");
    FatalDeviceException lost = new FatalDeviceException("lost");
    ScatterException e = failingOnBoth(sick, lost);
    assertTrue(e.toString().contains("restart the process"), e.toString());
    assertSame(lost, e.getCause());
    assertEquals(List.of(sick), List.of(lost.getSuppressed()));
  }

  @Test
  @DisplayName("20 of two harmless failures, the first is the cause, the second suppressed")
  void harmlessOnSecond() {
    DriverException sick = new DriverException("sick");
    DriverException too = new DriverException("sick, too");
    ScatterException e = failingOnBoth(sick, too);
    assertSame(sick, e.getCause());
    assertEquals(List.of(too), List.of(sick.getSuppressed()));
  }

  private static ScatterException failingOnBoth(GpuException first, GpuException second) {
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).build()) {
      return assertThrows(
          ScatterException.class,
          () ->
              scatter.run(
                  1,
                  tile -> {
                    throw tile.getDevice().getOrdinal() == 0 ? first : second;
                  }));
    }
  }

  @Test
  @DisplayName("20 two devices that fail by one and the same exception are both named")
  void sameException() {
    DriverException kept = new DriverException("kept");
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).build()) {
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        throw kept;
                      }));
      assertSame(kept, e.getCause());
      assertTrue(e.toString().contains("and on device 1"), e.toString());
    }
  }

  @Test
  @DisplayName("17, 19 a device that failed beside the user's own failure gets no more work either")
  void failedBesideUsers() {
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).build()) {
      CountDownLatch both = new CountDownLatch(2);
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        both.countDown();
                        both.await();
                        if (tile.getIndex() == 1) {
                          throw new DriverException("sick");
                        }
                        throw new IllegalStateException("mine");
                      }));
      assertEquals(1, e.getSuppressed().length);
      assertEquals(List.of(1), scatter.getQuarantined());
    }
  }

  @Test
  @DisplayName("18 if tiles cannot move, the failure of each is reported")
  void allFailuresAreTold() {
    List<DriverException> sick = List.of(new DriverException("0"), new DriverException("1"));
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).build()) {
      ScatterException e =
          assertThrows(
              ScatterException.class,
              () ->
                  scatter.run(
                      2,
                      tile -> {
                        throw sick.get(tile.getIndex());
                      }));
      assertSame(sick.get(0), e.getCause());
      assertEquals(List.of(sick.get(1)), List.of(sick.get(0).getSuppressed()));
    }
  }

  @Test
  @DisplayName("17 the user's failure on the second device tells why the tile was there")
  void usersFailureOnSecond() {
    DriverException sick = new DriverException("sick");
    try (SimBackend backend = backend(2);
        Scatter scatter = moving(backend).build()) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () ->
                  scatter.run(
                      1,
                      tile -> {
                        if (tile.getDevice().getOrdinal() == 0) {
                          throw sick;
                        }
                        throw new IllegalStateException("mine");
                      }));
      assertEquals(List.of(sick), List.of(e.getSuppressed()));
    }
  }
}
