package org.vramkit.partition.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: plans in several rounds")
class RoundsTest {
  private static final DeviceProfile LARGE =
      DeviceProfile.builder("80 GiB")
          .from(DeviceProfile.A100_80GB)
          .memory(80 * ByteSize.GIB)
          .build();

  /** Returns devices with budgets of 4 and 40 GiB, which is half of their memory. */
  private static SimBackend smallAndLarge() {
    return SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(LARGE).build();
  }

  private static DevicePool pool(SimBackend backend, double... scores) {
    return DevicePool.of(backend.getDevices(), device -> scores[device.getOrdinal()]);
  }

  private static Planner planner(long bytesPerUnit) {
    return new Planner(Partitioner.FASTEST_FINISH, bytesPerUnit);
  }

  @Test
  @DisplayName("13 rounds are as full as memory allows, and the last is shared by scores")
  void fullRounds() {
    try (SimBackend backend = smallAndLarge()) {
      Plan plan = planner(ByteSize.GIB).plan(pool(backend, 1, 2), 1000, 91);
      assertEquals(
          List.of(
              List.of(new Tile(1, 1000, 1040), new Tile(0, 1040, 1044)),
              List.of(new Tile(1, 1044, 1084), new Tile(0, 1084, 1088)),
              List.of(new Tile(1, 1088, 1090), new Tile(0, 1090, 1091))),
          plan.rounds());
      assertEquals(List.of(), plan.skipped());
    }
  }

  @Test
  @DisplayName("5, 17.13 a device with a score of 0 stays idle while another has room: more rounds")
  void scoreOfZeroStaysIdle() {
    try (SimBackend backend = smallAndLarge()) {
      DevicePool pool = pool(backend, 1, 0);
      assertEquals(
          List.of(new Tile(0, 0, 4), new Tile(0, 4, 8), new Tile(0, 8, 10)),
          planner(ByteSize.GIB).plan(pool, 10).getTiles());
      assertEquals(List.of(new Tile(0, 0, 10)), planner(0).plan(pool, 10).getTiles());
    }
  }

  @Test
  @DisplayName("5, 14, 17.13 devices with a score of 0 share evenly where no other has room")
  void scoresOfZeroShare() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(LARGE).device(LARGE).build()) {
      Plan plan = planner(10 * ByteSize.GIB).plan(pool(backend, 1, 0, 0), 11);
      assertEquals(
          List.of(
              List.of(new Tile(1, 0, 4), new Tile(2, 4, 8)),
              List.of(new Tile(1, 8, 10), new Tile(2, 10, 11))),
          plan.rounds());
      assertEquals(
          List.of("device 0: a unit needs 10.00 GiB, its budget is 4.00 GiB"), plan.skipped());
    }
  }

  @Test
  @DisplayName("14 work of more than a million rounds is refused before any is planned")
  void tooManyRounds() {
    try (SimBackend backend = smallAndLarge()) {
      DevicePool pool = pool(backend, 1, 1);
      Planner planner = planner(4 * ByteSize.GIB);
      for (long units : new long[] {11_000_001, Long.MAX_VALUE}) {
        InvalidArgumentException e =
            assertThrows(InvalidArgumentException.class, () -> planner.plan(pool, units));
        assertTrue(e.toString().contains(units + " units of 4.00 GiB"), e.toString());
        assertTrue(e.toString().contains("1000000 rounds of 11;"), e.toString());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "4", "4,5", "5,5", "-1,11", "10,1", "3,8,0", "4,6,0"})
  @DisplayName("17.13 a user's partitioner that violates its contract gets an error")
  void brokenPartitioner(String counts) {
    long[] wrong = counts.isEmpty() ? new long[0] : numbers(counts);
    try (SimBackend backend = smallAndLarge()) {
      Planner planner = new Planner((units, scores, caps) -> wrong, ByteSize.GIB);
      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> planner.plan(pool(backend, 2, 1), 10));
      assertTrue(
          e.toString().contains("10 units over devices with room for [4, 40]"), e.toString());
    }
  }

  @Test
  @DisplayName("17.13 a user's partitioner that returns null gets the same error")
  @SuppressWarnings("NullAway") // returns null on purpose
  void partitionerWithoutResult() {
    try (SimBackend backend = smallAndLarge()) {
      Planner planner = new Planner((units, scores, caps) -> null, ByteSize.GIB);
      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> planner.plan(pool(backend, 2, 1), 10));
      assertTrue(e.toString().contains("not into null"), e.toString());
    }
  }

  private static long[] numbers(String text) {
    return Arrays.stream(text.split(",")).mapToLong(Long::parseLong).toArray();
  }

  @Test
  @DisplayName("13 a partitioner that scribbles in what it was given does not disturb later rounds")
  void scribblingPartitioner() {
    Partitioner scribbling =
        (units, scores, caps) -> {
          long[] counts = Partitioner.FASTEST_FINISH.divide(units, scores, caps);
          Arrays.fill(scores, 0);
          Arrays.fill(caps, 0);
          return counts;
        };
    try (SimBackend backend = smallAndLarge()) {
      DevicePool pool = pool(backend, 1, 2);
      assertEquals(
          planner(ByteSize.GIB).plan(pool, 91),
          new Planner(scribbling, ByteSize.GIB).plan(pool, 91));
    }
  }
}
