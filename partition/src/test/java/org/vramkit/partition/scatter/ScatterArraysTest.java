package org.vramkit.partition.scatter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.vramkit.partition.scatter.Gpus.assertClean;
import static org.vramkit.partition.scatter.Gpus.backend;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Capability;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.DriverException;
import org.vramkit.api.error.DriverStatus;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.CostModel;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;

@DisplayName("S5: arrays in parts")
@SuppressWarnings("try") // scatters are closed early, so that leaks show
class ScatterArraysTest {
  private static final int LENGTH = 10_000;

  static List<Schedule> schedules() {
    return List.of(Schedule.planned(), Schedule.guided());
  }

  private static Scatter scatter(SimBackend backend) {
    return Scatter.builder(DevicePool.of(backend)).allocators(OrderedAllocator.each()).build();
  }

  private static Scatter scatter(SimBackend backend, FailurePolicy policy) {
    return Scatter.builder(DevicePool.of(backend))
        .allocators(OrderedAllocator.each())
        .failurePolicy(policy)
        .build();
  }

  /** Returns a schedule whose chunks have one size, so that no staging buffer is replaced. */
  private static Schedule inHalves() {
    return Schedule.recorded(List.of(new Tile(0, 0, LENGTH / 2), new Tile(1, LENGTH / 2, LENGTH)));
  }

  /** Inverts all bits on the device, which shows whether every byte was copied both ways. */
  private static void invert(ArrayPart part) {
    ((SimStream) part.getStream())
        .launch(
            SimKernel.named("invert")
                .reads(part.address(), part.bytes())
                .writes(part.address(), part.bytes())
                .body(
                    memory -> {
                      byte[] bytes = memory.read(part.address(), (int) part.bytes());
                      for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = (byte) ~bytes[i];
                      }
                      memory.write(part.address(), bytes);
                    })
                .build());
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("S5.5 a task gets its part of an array in device memory, and its result comes back")
  void arrays(Schedule schedule) {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    long[] longs = LongStream.range(0, LENGTH).map(i -> i << 40 | i).toArray();
    float[] floats = new float[LENGTH];
    double[] doubles = new double[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      floats[i] = Float.intBitsToFloat(~Float.floatToRawIntBits(i));
      doubles[i] = Double.longBitsToDouble(~Double.doubleToRawLongBits(i));
    }
    try (SimBackend backend = backend(3);
        Scatter scatter = scatter(backend)) {
      PartTask inverting = ScatterArraysTest::invert;
      ScatterReport report = ScatterArrays.of(ints).run(scatter, schedule, inverting);
      Units.assertCovered(report.tiles(), LENGTH);
      ScatterArrays.of(longs).run(scatter, schedule, ScatterArraysTest::invert);
      ScatterArrays.of(floats).run(scatter, schedule, ScatterArraysTest::invert);
      ScatterArrays.of(doubles).run(scatter, schedule, ScatterArraysTest::invert);
      for (int i = 0; i < LENGTH; i++) {
        assertEquals(~i, ints[i]);
        assertEquals(~((long) i << 40 | i), longs[i]);
        assertEquals(i, floats[i]);
        assertEquals(i, doubles[i]);
      }
      assertClean(backend);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("S5.5 a part of a buffer is whole units; its position and limit stay")
  void buffers(Schedule schedule) {
    ByteBuffer buffer = ByteBuffer.allocate(3 * LENGTH + 7).order(ByteOrder.BIG_ENDIAN);
    buffer.position(5).limit(3 * LENGTH + 5);
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend)) {
      ScatterArrays.of(buffer, 3)
          .run(
              scatter,
              schedule,
              part -> {
                assertEquals(part.getTile().getUnits() * 3, part.bytes());
                invert(part);
              });
      assertEquals(5, buffer.position());
      assertEquals(3 * LENGTH + 5, buffer.limit());
      for (int i = 0; i < buffer.capacity(); i++) {
        assertEquals(i < 5 || i >= 3 * LENGTH + 5 ? 0 : -1, buffer.array()[i], "byte " + i);
      }
      assertClean(backend);
    }
    InvalidArgumentException e =
        assertThrows(InvalidArgumentException.class, () -> ScatterArrays.of(buffer, 7));
    assertTrue(e.toString().contains("units of 7 bytes; "), e.toString());
    assertThrows(InvalidArgumentException.class, () -> ScatterArrays.of(buffer, 0));
  }

  @Test
  @DisplayName("S5.5 without page-locked memory parts go through pageable memory")
  void pageable() {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    try (SimBackend backend =
            SimBackend.builder()
                .costModel(CostModel.FREE)
                .device(
                    DeviceProfile.builder("none pinned")
                        .without(Capability.PINNED_HOST_MEMORY)
                        .build())
                .build();
        Scatter scatter = scatter(backend)) {
      ScatterArrays.of(ints).run(scatter, Schedule.guided(), ScatterArraysTest::invert);
      assertArrayEquals(IntStream.range(0, LENGTH).map(i -> ~i).toArray(), ints);
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("two chunks of one device are under way at once, each with a buffer of its own")
  void overlap() {
    int[] ints = IntStream.range(0, 100).toArray();
    CyclicBarrier both = new CyclicBarrier(2);
    try (SimBackend backend = backend(1);
        Scatter scatter = scatter(backend)) {
      backend.getDriverCalls().reset();
      // Two probes come first, one at a time.
      List<Tile> order =
          List.of(new Tile(0, 0, 1), new Tile(0, 1, 2), new Tile(0, 2, 50), new Tile(0, 50, 100));
      ScatterArrays.of(ints)
          .run(
              scatter,
              Schedule.recorded(order),
              part -> {
                if (part.context().getIndex() > 1) {
                  both.await();
                }
                invert(part);
              });
      assertArrayEquals(IntStream.range(0, 100).map(i -> ~i).toArray(), ints);
      // A small buffer for the probes, and two of the right size.
      assertEquals(3, backend.getDriverCalls().getCount("cuMemAllocHost"));
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("17.24 a read-only buffer is refused before any device works, not when results come")
  void readOnly() {
    ByteBuffer buffer = ByteBuffer.allocate(8).asReadOnlyBuffer();
    String message =
        String.valueOf(
            assertThrows(InvalidArgumentException.class, () -> ScatterArrays.of(buffer, 4))
                .getMessage());
    assertTrue(message.contains("read-only"), message);
  }

  @Test
  @DisplayName("19 a part that fails is done elsewhere with its elements as they were")
  void failedPart() {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    AtomicInteger failed = new AtomicInteger();
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend)) {
      ScatterArrays.of(ints)
          .run(
              scatter,
              Schedule.guided(),
              part -> {
                invert(part);
                if (part.getTile().ordinal() == 1) {
                  failed.incrementAndGet();
                  throw new DriverException("sick");
                }
              });
      assertTrue(failed.get() > 0);
      assertArrayEquals(IntStream.range(0, LENGTH).map(i -> ~i).toArray(), ints);
      assertClean(backend);
    }
  }

  static Stream<Arguments> schedulesAndPolicies() {
    return Stream.of(
        Arguments.of(Schedule.guided(), FailurePolicy.ALL_ON_CPU),
        Arguments.of(Schedule.planned(), FailurePolicy.ALL_ON_CPU),
        Arguments.of(Schedule.planned(), FailurePolicy.MOVE_TILE));
  }

  @ParameterizedTest
  @MethodSource("schedulesAndPolicies")
  @DisplayName("19 random faults, 50 seeds: every element is changed once, by a device or the CPU")
  void randomFaults(Schedule schedule, FailurePolicy policy) {
    for (long seed = 1; seed <= 50; seed++) {
      int[] ints = IntStream.range(0, LENGTH).toArray();
      FaultPlan plan = FaultPlan.NONE;
      for (String call :
          List.of(
              "cuStreamSynchronize", "cuMemcpyHtoDAsync", "cuMemAllocAsync", "cuMemAllocHost")) {
        plan =
            plan.fail(
                CallSelector.of(call).withProbability(0.05),
                seed % 2 == 0 ? Fault.UNKNOWN : Fault.OUT_OF_MEMORY);
      }
      try (SimBackend backend = backend(3, seed);
          Scatter scatter = scatter(backend, policy)) {
        backend.getFaults().inject(plan);
        ScatterArrays.of(ints)
            .run(
                scatter,
                schedule,
                (from, to) -> Arrays.setAll(ints, i -> i >= from && i < to ? ~ints[i] : ints[i]),
                ScatterArraysTest::invert);
        assertArrayEquals(IntStream.range(0, LENGTH).map(i -> ~i).toArray(), ints, "seed " + seed);
        backend.getFaults().clear();
        scatter.close();
        assertClean(backend);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(FailurePolicy.class)
  @DisplayName("S5.5 a device that fails after half of a tile leaves the whole tile as it was")
  void failureAfterHalf(FailurePolicy policy) {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend, policy)) {
      ScatterReport report =
          ScatterArrays.of(ints)
              .run(
                  scatter,
                  Schedule.planned(),
                  (from, to) -> Arrays.setAll(ints, i -> ~ints[i]),
                  part -> {
                    invert(part);
                    if (part.getTile().ordinal() == 0 && part.getTile().getUnits() > LENGTH / 4) {
                      throw new DeviceOutOfMemoryException(1, DriverStatus.NONE);
                    }
                    if (part.getTile().ordinal() == 0 && part.getTile().from() > 0) {
                      throw new DriverException("sick");
                    }
                  });
      assertEquals(1, report.halvings());
      assertEquals(policy == FailurePolicy.ALL_ON_CPU, report.onCpu());
      assertArrayEquals(IntStream.range(0, LENGTH).map(i -> ~i).toArray(), ints);
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("S5.5 an exception of a planned task leaves its own part as it was")
  void exceptionOfTask() {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend)) {
      CyclicBarrier both = new CyclicBarrier(2);
      assertThrows(
          IllegalStateException.class,
          () ->
              ScatterArrays.of(ints)
                  .run(
                      scatter,
                      Schedule.planned(),
                      part -> {
                        invert(part);
                        both.await();
                        if (part.getTile().ordinal() == 1) {
                          throw new IllegalStateException("mine");
                        }
                      }));
      int half = LENGTH / 2;
      assertArrayEquals(IntStream.range(0, LENGTH).map(i -> i < half ? ~i : i).toArray(), ints);
      scatter.close();
      assertClean(backend);
    }
  }

  @ParameterizedTest
  @MethodSource("schedules")
  @DisplayName("page-locked memory that cannot be freed does not fail a scatter that is done")
  void failingFree(Schedule schedule) {
    int[] ints = IntStream.range(0, LENGTH).toArray();
    try (SimBackend backend = backend(2);
        Scatter scatter = scatter(backend)) {
      backend.getFaults().failEvery("cuMemFreeHost", Fault.UNKNOWN);
      ScatterArrays data = ScatterArrays.of(ints);
      data.run(scatter, schedule.isPlanned() ? schedule : inHalves(), ScatterArraysTest::invert);
      assertArrayEquals(IntStream.range(0, LENGTH).map(i -> ~i).toArray(), ints);
      backend.getFaults().clear();
      scatter.close();
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("a scatter without allocators says how to give it some")
  void noAllocators() {
    try (SimBackend backend = backend(1);
        Scatter scatter = Scatter.over(DevicePool.of(backend))) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () -> ScatterArrays.of(new int[9]).run(scatter, Schedule.guided(), part -> {}));
      assertTrue(e.toString().contains("ScatterBuilder.allocators"), e.toString());
      e =
          assertThrows(
              IllegalStateException.class, () -> scatter.run(1, tile -> tile.getWorkspace()));
      assertTrue(e.toString().contains("ScatterBuilder.workspaces"), e.toString());
      assertClean(backend);
    }
  }

  @Test
  @DisplayName("a supplier that returns null is named, with its device")
  @SuppressWarnings("NullAway") // passes null on purpose
  void suppliersOfNull() {
    try (SimBackend backend = backend(1);
        Scatter scatter =
            Scatter.builder(DevicePool.of(backend)).workspaces(device -> null).build()) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class, () -> scatter.run(1, tile -> tile.getWorkspace()));
      assertTrue(e.toString().contains("device 0, its supplier returned null"), e.toString());
      assertTrue(e.toString().contains("ScatterBuilder.workspaces"), e.toString());
      assertClean(backend);
    }
  }
}
