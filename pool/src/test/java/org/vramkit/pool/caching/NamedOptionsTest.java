package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.caching.internal.option.Option;

@DisplayName("Options as text")
class NamedOptionsTest {

  private static String refusalOf(String name, String value) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      return assertThrows(InvalidArgumentException.class, () -> builder.set(name, value))
          .toString();
    }
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "move-time, 1f",
    "move-time, 0x1p-9",
    "move-time, \u0660",
    "decay, 10d",
    "decay, \u0661\u0660",
    "accessible-from, \u0660",
    "rounding-divisions, \u0664"
  })
  @DisplayName("are plain numbers, none of Java's other ways to write them")
  void plainNumbers(String name, String value) {
    assertTrue(refusalOf(name, value).contains("'" + value + "'"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"0.5", ".5", "5e-1", "+0.5", "0.05E+1"})
  @DisplayName("are decimal numbers with or without an exponent")
  void decimals(String value) {
    try (Sandbox box = Sandbox.standard()) {
      CachingAllocatorBuilder builder = CachingAllocator.builder(box.device);
      assertEquals(0.5, builder.set("move-time", value).options().get(Option.MOVE_TIME));
      assertEquals(Duration.ofMillis(500), builder.set("decay", value).options().get(Option.DECAY));
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @CsvSource({"''", "' '", "'64:8,64:8'", "'64:8, 064:4'", "'4,8'", "17592186044416:8"})
  @DisplayName("name divisions, and each size once")
  void divisions(String value) {
    assertTrue(refusalOf("rounding-divisions", value).contains("'" + value.trim() + "'"));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"1e400", "99999999999999999999", "9223372036854775807", "864000001", "-1"})
  @DisplayName("show the time that was given where it is out of range")
  void times(String value) {
    String refusal = refusalOf("decay", value);
    assertTrue(refusal.contains("0 to 10000 days, not " + value + " s"), refusal);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"limit", "thread-cache"})
  @DisplayName(
      "distinguish a size that is too large from text that is no size and from a part of a byte")
  void sizes(String name) {
    String large = refusalOf(name, "99999999999999999999");
    assertTrue(large.contains("exceeds 2^63 - 1") && large.contains(name), large);
    String none = refusalOf(name, "red");
    assertTrue(none.contains("not a size: 'red'") && none.contains("512KiB, 8GiB"), none);
    String part = refusalOf(name, "1.5B");
    assertTrue(part.contains("whole number of bytes"), part);
  }

  @Test
  @DisplayName("show the exact size where it would be rounded to the bound that it misses")
  void exactSizes() {
    String byteLess = refusalOf("history", "65535");
    assertTrue(byteLess.contains("(65,535 bytes)"), byteLess);
  }
}
