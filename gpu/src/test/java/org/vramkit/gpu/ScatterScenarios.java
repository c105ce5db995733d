package org.vramkit.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DriverException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.device.ScoreFormula;
import org.vramkit.partition.plan.Tile;
import org.vramkit.partition.scatter.FailurePolicy;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterArrays;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.partition.scatter.TileContext;
import org.vramkit.partition.scatter.TileTask;
import org.vramkit.pool.caching.CachingAllocator;

/** Scenarios of scatters over all devices, one or more. */
interface ScatterScenarios {
  /** Number of units. */
  int UNITS = 1 << 18;

  Backend getBackend();

  private static int value(long unit) {
    return (int) (unit * unit + 3);
  }

  private static int[] expected() {
    int[] values = new int[UNITS];
    for (int i = 0; i < UNITS; i++) {
      values[i] = value(i);
    }
    return values;
  }

  /** Copies a tile to its device, between two blocks there, and back. */
  private static void throughDevice(TileContext tile, int[] results) {
    Tile units = tile.getTile();
    int bytes = Math.toIntExact(units.getUnits() * Integer.BYTES);
    ByteBuffer values = ByteBuffer.allocate(bytes);
    for (long i = units.from(); i < units.to(); i++) {
      values.putInt(value(i));
    }
    Device device = tile.getDevice();
    long memory = device.getMemory().allocate(2L * bytes);
    try {
      tile.getStream().copyToDevice(memory, values.flip());
      tile.getStream().copy(memory + bytes, memory, bytes);
      ByteBuffer back = ByteBuffer.allocate(bytes);
      tile.getStream().copyToHost(back, memory + bytes);
      back.asIntBuffer().get(results, (int) units.from(), (int) units.getUnits());
    } finally {
      tile.getStream().synchronize();
      device.getMemory().free(memory);
    }
  }

  @Test
  @DisplayName("17.26 every device does its tile, and every unit is done")
  default void allDevices() {
    int[] results = new int[UNITS];
    try (Scatter scatter = Scatter.over(DevicePool.of(getBackend()))) {
      for (int i = 0; i < 3; i++) {
        ScatterReport report = scatter.run(UNITS, tile -> throughDevice(tile, results));
        assertEquals(getBackend().getDevices().size(), report.tiles().size(), report.toString());
        assertArrayEquals(expected(), results);
      }
    }
  }

  @Test
  @DisplayName("17.26 tiles are as large as memory allows, in as many rounds as that takes")
  default void rounds() {
    long unit = getBackend().getDevice(0).getMemoryInfo().totalBytes() / 16;
    int units = 24 * getBackend().getDevices().size();
    AtomicLong done = new AtomicLong();
    try (Scatter scatter =
        Scatter.builder(DevicePool.of(getBackend())).bytesPerUnit(unit).build()) {
      ScatterReport report =
          scatter.run(
              units,
              tile -> {
                long memory =
                    tile.getDevice().getMemory().allocate(unit * tile.getTile().getUnits());
                done.addAndGet(tile.getTile().getUnits());
                tile.getDevice().getMemory().free(memory);
              });
      assertEquals(units, done.get());
      assertTrue(report.tiles().size() >= 3 * getBackend().getDevices().size(), "" + report);
    }
  }

  @Test
  @DisplayName("17.26 a tile that is too large for its device is halved until it fits")
  default void halved() {
    long unit = getBackend().getDevice(0).getMemoryInfo().totalBytes() / 8;
    int units = 16 * getBackend().getDevices().size();
    AtomicLong done = new AtomicLong();
    try (Scatter scatter = Scatter.over(DevicePool.of(getBackend()))) {
      ScatterReport report =
          scatter.run(
              units,
              tile -> {
                long memory =
                    tile.getDevice().getMemory().allocate(unit * tile.getTile().getUnits());
                done.addAndGet(tile.getTile().getUnits());
                tile.getDevice().getMemory().free(memory);
              });
      assertEquals(units, done.get());
      assertTrue(report.halvings() >= getBackend().getDevices().size(), report.toString());
    }
  }

  @Test
  @DisplayName("25 guided chunks process every unit on all devices")
  default void guided() {
    int[] results = new int[UNITS];
    try (Scatter scatter = Scatter.over(DevicePool.of(getBackend()))) {
      for (int i = 0; i < 3; i++) {
        ScatterReport report =
            scatter.run(
                UNITS,
                Schedule.guided().withMinChunkSize(64),
                tile -> throughDevice(tile, results));
        assertArrayEquals(expected(), results);
        assertEquals(UNITS, report.tiles().stream().mapToLong(Tile::getUnits).sum());
      }
    }
  }

  @Test
  @DisplayName("S5.5 parts of an array go through page-locked memory and come back")
  default void arrays() {
    int[] numbers = new int[UNITS];
    List<CachingAllocator> allocators =
        getBackend().getDevices().stream().map(CachingAllocator::create).toList();
    try (Scatter scatter =
        Scatter.builder(DevicePool.of(getBackend()))
            .allocators(device -> allocators.get(device.getOrdinal()))
            .build()) {
      ScatterArrays.of(numbers)
          .run(
              scatter,
              Schedule.guided(),
              part -> part.getStream().fill(part.address(), (byte) 1, part.bytes()));
      assertTrue(Arrays.stream(numbers).allMatch(each -> each == 0x01010101));
    } finally {
      allocators.forEach(CachingAllocator::close);
    }
  }

  @Test
  @DisplayName("S5.2 free memory of an allocator counts as free in its device's budget")
  default void budget() {
    Device device = getBackend().getDevice(0);
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      long half = device.getMemoryInfo().totalBytes() / 2;
      allocator.allocate(half).close();
      DevicePool pool = DevicePool.of(List.of(device), ScoreFormula.DEFAULT);
      long beside = pool.getBudget(0);
      long with = pool.withAllocators(each -> allocator).getBudget(0);
      assertTrue(with > beside, with + " bytes with its cache, " + beside + " without");
      // Excludes memory of others, such as contexts.
      assertTrue(with > half * 0.9 && with <= half, with + " of " + half);
    }
  }

  @Test
  @DisplayName("17.26 the user's own failure is thrown once the tiles' devices are done")
  default void usersFailure() {
    int[] results = new int[UNITS];
    IllegalStateException mine = new IllegalStateException("mine");
    try (Scatter scatter = Scatter.over(DevicePool.of(getBackend()))) {
      TileTask failing =
          tile -> {
            throughDevice(tile, results);
            if (tile.getIndex() == 0) {
              throw mine;
            }
          };
      assertSame(mine, assertThrows(RuntimeException.class, () -> scatter.run(UNITS, failing)));
      scatter.run(UNITS, tile -> throughDevice(tile, results));
      assertArrayEquals(expected(), results);
    }
  }

  @Test
  @DisplayName("17.26 the tile of a device that fails is done by another, or all by the CPU")
  default void moved() {
    int[] results = new int[UNITS];
    AtomicInteger failed = new AtomicInteger();
    int last = getBackend().getDevices().size() - 1;
    try (Scatter scatter =
        Scatter.builder(DevicePool.of(getBackend()))
            .failurePolicy(FailurePolicy.MOVE_TILE)
            .build()) {
      ScatterReport report =
          scatter.run(
              UNITS,
              (from, to) -> {
                for (long i = from; i < to; i++) {
                  results[(int) i] = value(i);
                }
              },
              tile -> {
                if (tile.getDevice().getOrdinal() == last) {
                  failed.incrementAndGet();
                  throw new DriverException("simulated failure of the last device");
                }
                throughDevice(tile, results);
              });
      assertArrayEquals(expected(), results);
      assertEquals(1, failed.get());
      assertEquals(last == 0, report.onCpu());
      assertEquals(last == 0 ? 0 : 1, report.moves());
    }
  }
}
