package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("17.25 Options that do nothing on the memory that an allocator is built on")
class OptionEffectsTest {
  private final Sandbox box = Sandbox.standard();

  @AfterEach
  void close() {
    box.close();
  }

  @ParameterizedTest(name = "{1}={2} from outside, virtual memory {0} by the program")
  @CsvSource({"ON, max-split, 64MiB", "OFF, initial, 64MiB"})
  @DisplayName("17.26 stop no program that chose the memory itself, where they come from outside")
  void fromOutside(VirtualMemoryUse use, String option, String value) {
    System.setProperty(ConfiguredOptions.PREFIX + option, value);
    try {
      CachingAllocator.builder(box.device).virtualMemory(use).build().close();
      System.setProperty(
          ConfiguredOptions.PREFIX + "virtual-memory", use.name().toLowerCase(Locale.ROOT));
      assertThrows(InvalidArgumentException.class, CachingAllocator.builder(box.device)::build);
    } finally {
      System.clearProperty(ConfiguredOptions.PREFIX + option);
      System.clearProperty(ConfiguredOptions.PREFIX + "virtual-memory");
    }
  }

  @Test
  @DisplayName("17.26 are refused by name where the program set them, without those from outside")
  void besideThoseFromOutside() {
    System.setProperty(ConfiguredOptions.PREFIX + "max-split", "64MiB");
    try {
      CachingAllocatorBuilder builder =
          CachingAllocator.builder(box.device).virtualMemory(VirtualMemoryUse.ON).splitting(false);
      String message = assertThrows(InvalidArgumentException.class, builder::build).toString();
      assertTrue(message.contains("splitting does nothing"), message);
      assertFalse(message.contains("max-split"), message);
    } finally {
      System.clearProperty(ConfiguredOptions.PREFIX + "max-split");
    }
  }

  private CachingAllocatorBuilder builder(String memory, String option, String value) {
    return CachingAllocator.builder(box.device).set("virtual-memory", memory).set(option, value);
  }

  @ParameterizedTest(name = "virtual memory {0}: {1}={2}")
  @CsvSource({
    "on, max-split, 64MiB",
    "on, splitting, off",
    "on, garbage-collection-threshold, 0.5",
    "off, initial, 64MiB"
  })
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

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({"max-split, 64MiB", "splitting, off", "garbage-collection-threshold, 0.5"})
  @DisplayName("17.25 are told where it was not: they may be meant for another device")
  void told(String option, String value) {
    List<String> told = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord logged) {
            told.add(logged.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(CachingAllocatorBuilder.class.getName());
    logger.addHandler(handler);
    try {
      builder("auto", option, value).build().close();
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(List.of(option + " does nothing over virtual memory, which device 0 has"), told);
  }
}
