package org.vramkit.partition.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("S5: the pool of devices")
class DevicePoolTest {

  @Test
  @DisplayName("S5.1 devices come best score first, with their count and ordinals")
  void bestFirst() {
    try (SimBackend backend =
        SimBackend.builder()
            .device(DeviceProfile.SMALL_8GIB)
            .device(DeviceProfile.H200)
            .device(DeviceProfile.A100_80GB)
            .build()) {
      DevicePool pool = DevicePool.of(backend);
      assertEquals(List.of(1, 2, 0), pool.getOrdinals());
      assertEquals(3, pool.getCount());
      assertEquals("devices [1, 2, 0]", pool.toString());
      PooledDevice best = pool.getDevices().get(0);
      assertEquals(132 * 1.98, best.score(), 1e-9);
    }
  }

  @Test
  @DisplayName("S5.1 an unknown device gets the score of its memory, or the prior, and no failure")
  void unknownHardware() {
    DeviceProfile onlyMemory =
        DeviceProfile.builder("memory").from(DeviceProfile.H200).processors(0, 0).build();
    DeviceProfile nothing =
        DeviceProfile.builder("nothing")
            .from(DeviceProfile.H200)
            .processors(0, 0)
            .memoryBus(0, 0)
            .build();
    try (SimBackend backend = SimBackend.builder().device(nothing).device(onlyMemory).build()) {
      DevicePool pool = DevicePool.of(backend);
      assertEquals(List.of(1, 0), pool.getOrdinals());
      assertEquals(132 * 1.98, pool.getDevices().get(0).score(), 0.1);
      assertEquals(1, pool.getDevices().get(1).score());
    }
  }

  @Test
  @DisplayName("S5.2 a budget is what is free, at most half; a foreign ordinal has the primary's")
  void budget() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.SMALL_8GIB).device(DeviceProfile.H200).build()) {
      DevicePool pool = DevicePool.of(backend);
      assertEquals(4 * ByteSize.GIB, pool.getBudget(0));
      assertTrue(backend.getDevice(0).occupy(6 * ByteSize.GIB));
      assertEquals(2 * ByteSize.GIB, pool.getBudget(0));
      long primary = pool.getBudget(1);
      assertEquals(primary, pool.getBudget(7));
      assertEquals(primary, pool.getBudget(-1));
      backend.getDevice(0).vacate(6 * ByteSize.GIB);
      assertThrows(InvalidArgumentException.class, () -> pool.without(List.of(0, 1)).getBudget(0));
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, -1, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  @DisplayName("6 a formula that gives nonsense is refused, with the device named")
  void nonsense(double score) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      InvalidArgumentException e =
          assertThrows(
              InvalidArgumentException.class,
              () -> DevicePool.of(backend.getDevices(), device -> score));
      assertTrue(e.toString().contains("device 0 (NVIDIA H200"), e.toString());
    }
  }

  @Test
  @DisplayName("6 scores of -0.0 and denormal ones are scores")
  void smallScores() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.H200).build()) {
      DevicePool pool =
          DevicePool.of(
              backend.getDevices(), device -> device.getOrdinal() == 0 ? -0.0 : Double.MIN_VALUE);
      assertEquals(List.of(1, 0), pool.getOrdinals());
      DevicePool zeros =
          DevicePool.of(backend.getDevices(), device -> device.getOrdinal() == 0 ? -0.0 : 0.0);
      assertEquals(List.of(0, 1), zeros.getOrdinals(), "-0.0 is no worse than 0.0");
    }
  }

  @Test
  @DisplayName("A device that is there twice is refused")
  void twice() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      assertThrows(
          InvalidArgumentException.class,
          () ->
              DevicePool.of(
                  List.of(backend.getDevice(0), backend.getDevice(0)), ScoreFormula.DEFAULT));
    }
  }

  @Test
  @DisplayName("Devices of two backends with the same ordinal are rejected with both backends")
  void twoBackends() {
    try (SimBackend one = SimBackend.builder().device(DeviceProfile.H200).build();
        SimBackend other = SimBackend.builder().device(DeviceProfile.H200).build()) {
      InvalidArgumentException e =
          assertThrows(
              InvalidArgumentException.class,
              () ->
                  DevicePool.of(
                      List.of(one.getDevice(0), other.getDevice(0)), ScoreFormula.DEFAULT));
      assertTrue(
          e.toString().contains("device 0 of backend sim and device 0 of another backend, sim"),
          e.toString());
    }
  }

  @Test
  @DisplayName("Leaving out a device that is not there changes nothing")
  void withoutUnknown() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build()) {
      assertEquals(List.of(0), DevicePool.of(backend).without(List.of(9)).getOrdinals());
    }
  }
}
