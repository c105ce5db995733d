package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("17.25 Options that do nothing on the memory that an allocator is built on")
class OptionEffectsTest {
  private final SimBackend backend =
      SimBackend.builder()
          .device(DeviceProfile.SMALL_8GIB)
          .device(DeviceProfile.SMALL_8GIB)
          .build();

  @AfterEach
  void close() {
    backend.close();
    assertEquals(List.of(), backend.getHazards());
    assertEquals(List.of(), backend.getLeaks());
  }

  @ParameterizedTest(name = "{1}={2} from outside, virtual memory {0} by the program")
  @CsvSource({"OFF, initial, 64MiB", "OFF, accessible-from, 1"})
  @DisplayName("17.26 stop no program that chose the memory itself, where they come from outside")
  void fromOutside(VirtualMemoryUse use, String option, String value) {
    System.setProperty(ConfiguredOptions.PREFIX + option, value);
    try {
      CachingAllocator.builder(backend.getDevice(0)).virtualMemory(use).build().close();
      System.setProperty(
          ConfiguredOptions.PREFIX + "virtual-memory", use.name().toLowerCase(Locale.ROOT));
      assertThrows(
          InvalidArgumentException.class, CachingAllocator.builder(backend.getDevice(0))::build);
    } finally {
      System.clearProperty(ConfiguredOptions.PREFIX + option);
      System.clearProperty(ConfiguredOptions.PREFIX + "virtual-memory");
    }
  }

  private CachingAllocatorBuilder builder(String memory, String option, String value) {
    return CachingAllocator.builder(backend.getDevice(0))
        .set("virtual-memory", memory)
        .set(option, value);
  }

  @ParameterizedTest(name = "virtual memory {0}: {1}={2}")
  @CsvSource({"off, initial, 64MiB", "off, accessible-from, 1"})
  @DisplayName(
      "17.25 are refused where that was chosen, with what would help, and taken on the other")
  void refused(String memory, String option, String value) {
    InvalidArgumentException e =
        assertThrows(InvalidArgumentException.class, () -> builder(memory, option, value).build());
    String other = memory.equals("on") ? "off" : "on";
    assertTrue(e.toString().contains(option + " does nothing"), e.toString());
    assertTrue(e.toString().contains("virtual-memory " + other), e.toString());
    builder(other, option, value).build().close();
  }
}
