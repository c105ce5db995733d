package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.error.NotSupportedException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.driver.CostModel;

@DisplayName("Devices of many kinds")
class ProfilesTest {

  static List<DeviceProfile> profiles() {
    return List.of(
        DeviceProfile.H200,
        DeviceProfile.H100_80GB,
        DeviceProfile.A100_80GB,
        DeviceProfile.L4,
        DeviceProfile.RTX_4090,
        DeviceProfile.SMALL_8GIB,
        DeviceProfile.builder("mine").from(DeviceProfile.A100_80GB).memory(4 << 20).build());
  }

  @ParameterizedTest
  @MethodSource("profiles")
  @DisplayName("A device is what its profile says, up to its last byte")
  void isItsProfile(DeviceProfile profile) {
    try (SimBackend backend = SimBackend.builder().device(profile).build()) {
      SimDevice device = backend.getDevice(0);
      assertEquals(profile.properties(), device.getProperties());
      Set<Capability> capabilities = new HashSet<>(profile.capabilities());
      capabilities.remove(Capability.PEER_ACCESS);
      assertEquals(capabilities, device.getCapabilities(), "it is alone");
      long total = profile.properties().totalMemoryBytes();
      assertEquals(total, device.getMemoryInfo().totalBytes());
      long free = device.getMemoryInfo().freeBytes();
      assertEquals(total - profile.contextBytes(), free);
      long page = 2 << 20;
      long all = device.getMemory().allocate(free / page * page);
      ByteBuffer last = ByteBuffer.allocate(1).put(0, (byte) 77);
      long address = all + free / page * page - 1;
      device.getDefaultStream().copyToDevice(address, last);
      ByteBuffer back = ByteBuffer.allocate(1);
      device.getDefaultStream().copyToHost(back, address);
      assertEquals(77, back.get(0));
      device.getMemory().free(all);
      assertEquals(List.of(), backend.getHazards());
    }
  }

  @Test
  @DisplayName("Filling 80 GB and touching few bytes costs the host what is touched")
  void sparse() {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.A100_80GB).build()) {
      SimDevice device = backend.getDevice(0);
      long bytes = 78 * ByteSize.GIB;
      long address = device.getMemory().allocate(bytes);
      // The JVM of the tests has 2 GiB: dense bytes would end it.
      device.getDefaultStream().fill(address, (byte) 5, bytes);
      for (long at = 0; at < bytes; at += ByteSize.GIB) {
        device.getDefaultStream().fill(address + at, (byte) 6, 10);
      }
      ByteBuffer seen = ByteBuffer.allocate(12);
      device.getDefaultStream().copyToHost(seen, address + ByteSize.GIB - 1);
      assertEquals(ByteBuffer.wrap(new byte[] {5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5}), seen);
      device.getMemory().free(address);
    }
  }

  @Test
  @DisplayName("A capability that a profile lacks is rejected by name")
  void missingCapability() {
    DeviceProfile plain =
        DeviceProfile.builder("plain")
            .from(DeviceProfile.SMALL_8GIB)
            .without(Capability.VIRTUAL_MEMORY)
            .build();
    try (SimBackend backend = SimBackend.builder().device(plain).build()) {
      NotSupportedException e =
          assertThrows(NotSupportedException.class, backend.getDevice(0)::getVirtualMemory);
      assertTrue(e.toString().contains("VIRTUAL_MEMORY"), e.toString());
    }
  }

  @Test
  @DisplayName("Devices keep their memory apart")
  void severalDevices() {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      Device second = backend.getDevice(1);
      long before = backend.getDevice(0).getMemoryInfo().freeBytes();
      long address = second.getMemory().allocate(ByteSize.GIB);
      assertEquals(before, backend.getDevice(0).getMemoryInfo().freeBytes());
      assertEquals(1, second.getOrdinal());
      second.getMemory().free(address);
      assertEquals(List.of(), backend.getLeaks());
    }
  }

  @ParameterizedTest
  @MethodSource("badProfiles")
  @DisplayName("A figure that no device can have is refused by its name")
  void badFigures(String told, UnaryOperator<DeviceProfile.Builder> settings) {
    DeviceProfile.Builder builder =
        settings.apply(DeviceProfile.builder("mine").from(DeviceProfile.SMALL_8GIB));
    String refusal = assertThrows(InvalidArgumentException.class, builder::build).toString();
    assertTrue(refusal.contains("'mine' needs") && refusal.contains(told), refusal);
  }

  static List<Arguments> badProfiles() {
    return List.of(
        bad("1 to 8796093022208 bytes; got 0", builder -> builder.memory(0)),
        bad("bytes; got -1", builder -> builder.memory(-1)),
        bad("bytes; got 9223372036854775807", builder -> builder.memory(Long.MAX_VALUE)),
        bad("0 multiprocessors; got -1", builder -> builder.processors(-1, 1)),
        bad("0 kHz of clock; got -5", builder -> builder.processors(1, -5)),
        bad("0 kHz of memory clock; got -2", builder -> builder.memoryBus(-2, 0)),
        bad("0 bits of memory bus; got -1", builder -> builder.memoryBus(1, -1)),
        bad("0 bytes of L2 cache; got -1", builder -> builder.l2Cache(-1)),
        bad("major compute capability; got -1", builder -> builder.compute(-1, 0)),
        bad("minor compute capability; got -1", builder -> builder.compute(9, -1)));
  }

  private static Arguments bad(String told, UnaryOperator<DeviceProfile.Builder> settings) {
    return Arguments.of(told, settings);
  }

  @Test
  @DisplayName("On a device whose memory bus is not known, bytes take no time")
  void unknownBus() {
    DeviceProfile unknown = DeviceProfile.builder("unknown").memoryBus(0, 0).build();
    try (SimBackend backend =
        SimBackend.builder().device(unknown).costModel(CostModel.FREE).build()) {
      SimStream stream = backend.getDevice(0).getDefaultStream();
      stream.fill(backend.getDevice(0).getMemory().allocate(512), (byte) 1, 512);
      stream.synchronize();
      assertEquals(0, backend.getTimeNanos());
    }
  }

  @Test
  @DisplayName("The largest devices serve all of their memory, until addresses run out")
  void largest() {
    DeviceProfile huge = DeviceProfile.builder("huge").memory(DeviceProfile.MAXIMUM_MEMORY).build();
    SimBackend.Builder builder = SimBackend.builder();
    for (int i = 0; i < 14; i++) {
      builder.device(huge);
    }
    try (SimBackend backend = builder.build()) {
      for (int i = 0; i < 13; i++) {
        backend.getDevice(i).getMemory().allocate(DeviceProfile.MAXIMUM_MEMORY);
      }
      SimDevice last = backend.getDevice(13);
      assertThrows(
          DeviceOutOfMemoryException.class,
          () -> last.getMemory().allocate(DeviceProfile.MAXIMUM_MEMORY));
      assertEquals(DeviceProfile.MAXIMUM_MEMORY, last.getMemoryInfo().freeBytes());
    }
  }
}
