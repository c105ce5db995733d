package org.vramkit.tools.replay;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("The allocators to replay through")
class AllocatorsTest {

  private static String refusal(Capability lacked, String allocator, Map<String, String> options) {
    DeviceProfile profile =
        DeviceProfile.builder("lacking").from(DeviceProfile.H200).without(lacked).build();
    try (ReplayTarget target =
        new BackendTarget(SimBackend.builder().device(profile).bytes(false).build())) {
      return assertThrows(UsageException.class, () -> Allocators.create(allocator, target, options))
          .toString();
    }
  }

  @Test
  @DisplayName("17.24 an allocator that the device does not support is bad usage, not a failed run")
  void lacking() {
    String pages = refusal(Capability.VIRTUAL_MEMORY, "caching", Map.of("virtual-memory", "on"));
    assertTrue(pages.contains("allocator 'caching': virtual memory was requested"), pages);
    String pool = refusal(Capability.DRIVER_POOLS, "native", Map.of());
    assertTrue(pool.contains("allocator 'native': "), pool);
  }

  @Test
  @DisplayName("17.26 an error in a system property does not blame --option")
  void configured() {
    String property = "vramkit.allocator.limit";
    System.setProperty(property, "much");
    try (ReplayTarget target =
        new BackendTarget(SimBackend.builder().device(DeviceProfile.H200).bytes(false).build())) {
      UsageException e =
          assertThrows(UsageException.class, () -> Allocators.create("caching", target, Map.of()));
      assertTrue(e.toString().contains(": system property " + property + ": "), e.toString());
      assertFalse(e.toString().contains("--option"), e.toString());
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  @DisplayName("17.24 an initial size beyond the device's memory is bad usage")
  void tooMuchAtFirst() {
    try (ReplayTarget target =
        new BackendTarget(SimBackend.builder().device(DeviceProfile.H200).bytes(false).build())) {
      UsageException e =
          assertThrows(
              UsageException.class,
              () -> Allocators.create("caching", target, Map.of("initial", "900GiB")));
      assertTrue(e.toString().contains("option initial: out of memory"), e.toString());
      assertTrue(e.toString().contains("asked for 900.00 GiB"), e.toString());
    }
  }
}
