package org.vramkit.api.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("ByteSize")
class ByteSizeTest {

  @Test
  @DisplayName("multiplies up to 2^63 - 1, and not further")
  void multiplies() {
    assertEquals(0, ByteSize.multiply(0, Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, ByteSize.multiply(Long.MAX_VALUE, 1));
    assertEquals(Long.MAX_VALUE - 7, ByteSize.multiply(Long.MAX_VALUE / 8, 8));
    ArithmeticException error =
        assertThrows(ArithmeticException.class, () -> ByteSize.multiply(Long.MAX_VALUE / 8 + 1, 8));
    assertTrue(String.valueOf(error.getMessage()).contains("1152921504606846976 elements x 8"));
  }

  @Test
  @DisplayName("multiplies as exact integers do, for random factors")
  void multipliesExactly() {
    long seed = 7;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int i = 0; i < 10_000; i++) {
      long count = random.nextLong() >>> random.nextInt(1, 64);
      long width = random.nextLong() >>> random.nextInt(1, 64);
      BigInteger exact = BigInteger.valueOf(count).multiply(BigInteger.valueOf(width));
      String what = "seed " + seed + ": " + count + " x " + width;
      if (exact.bitLength() <= 63) {
        assertEquals(exact.longValueExact(), ByteSize.multiply(count, width), what);
      } else {
        assertThrows(ArithmeticException.class, () -> ByteSize.multiply(count, width), what);
      }
    }
  }

  @Test
  @DisplayName("refuses negative factors and names both")
  void negativeFactors() {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> ByteSize.multiply(-3, 4));
    assertTrue(String.valueOf(error.getMessage()).contains("-3 elements x 4 bytes"));
    assertThrows(IllegalArgumentException.class, () -> ByteSize.multiply(3, -4));
    assertThrows(IllegalArgumentException.class, () -> ByteSize.multiply(-3, -4));
  }

  @ParameterizedTest(name = "{0} up to a multiple of {1} is {2}")
  @CsvSource({"0,512,0", "1,512,512", "512,512,512", "513,512,1024", "7,1,7"})
  @DisplayName("rounds up")
  void roundsUp(long bytes, long quantum, long expected) {
    assertEquals(expected, ByteSize.roundUp(bytes, quantum));
  }

  @Test
  @DisplayName("does not round past 2^63 - 1")
  void roundingOverflows() {
    assertEquals(Long.MAX_VALUE - 511, ByteSize.roundUp(Long.MAX_VALUE - 511, 512));
    assertThrows(ArithmeticException.class, () -> ByteSize.roundUp(Long.MAX_VALUE - 510, 512));
    assertThrows(ArithmeticException.class, () -> ByteSize.roundUp(Long.MAX_VALUE, 512));
  }

  @ParameterizedTest(name = "{0} is printed as {1}")
  @CsvSource({
    "0,0 B",
    "1023,1023 B",
    "1024,1.00 KiB",
    "1536,1.50 KiB",
    "1048576,1.00 MiB",
    "13163999232,12.26 GiB",
    "-2048,-2.00 KiB",
    "9223372036854775807,8.00 EiB",
    "-9223372036854775808,-8.00 EiB"
  })
  @DisplayName("prints sizes for people")
  void formats(long bytes, String expected) {
    assertEquals(expected, ByteSize.format(bytes));
  }

  @Test
  @DisplayName("42.12 formatUp never prints less than the size, formatDown never more")
  void roundsToTheSafeSide() {
    long bytes = ByteSize.GIB + 1;
    assertEquals("1024.01 MiB", ByteSize.formatUp(bytes));
    assertEquals("1.00 GiB", ByteSize.formatDown(bytes));
    assertEquals("4.00 MiB", ByteSize.formatUp(4 * ByteSize.MIB));
    assertEquals("1023 B", ByteSize.formatUp(1023));
    for (long each = 1; each > 0; each = each * 3 + 1) {
      assertTrue(ByteSize.parse(ByteSize.formatDown(each)) <= each);
      assertTrue(ByteSize.parse(ByteSize.formatDown(each)) >= each - each / 64);
      assertTrue(ByteSize.parse(ByteSize.formatDown(each)) > each - ByteSize.MIB);
      if (each < Long.MAX_VALUE / 2) {
        long up = ByteSize.parse(ByteSize.formatUp(each));
        assertTrue(up >= each && up < each + ByteSize.MIB);
      }
    }
  }

  @Test
  @DisplayName("prints the bytes too, where a size misses a bound that it would be rounded to")
  void formatsExactly() {
    assertEquals("1.00 GiB (1,073,741,825 bytes)", ByteSize.formatExact((1L << 30) + 1));
    assertEquals("1 B (1 byte)", ByteSize.formatExact(1));
  }

  @ParameterizedTest(name = "''{0}'' is {1}")
  @CsvSource({
    "4096,4096",
    "4096.0,4096",
    "12.26GiB,13164074762",
    "0,0",
    "512KiB,524288",
    "8 GiB,8589934592",
    "1.5g,1610612736",
    "1.5k,1536",
    "' 2 mb ',2097152",
    "0.0001k,0",
    "3TB,3298534883328",
    "9223372036854775807,9223372036854775807"
  })
  @DisplayName("reads sizes")
  void parses(String text, long expected) {
    assertEquals(expected, ByteSize.parse(text));
  }

  @ParameterizedTest(name = "''{0}''")
  @ValueSource(
      strings = {
        "",
        "  ",
        "-1",
        "GiB",
        "1.",
        ".5k",
        "1e9",
        "12 parsecs",
        "1KK",
        "0x10",
        "1.5",
        "1.0000001B"
      })
  @DisplayName("refuses what is not a size, and shows how to write one")
  void refuses(String text) {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
    assertTrue(String.valueOf(error.getMessage()).contains("'" + text + "'"), error.getMessage());
  }

  @ParameterizedTest(name = "''{0}''")
  @ValueSource(strings = {"9223372036854775808", "8EiB", "99999999999999999999999E"})
  @DisplayName("refuses sizes past 2^63 - 1")
  void refusesHuge(String text) {
    IllegalArgumentException error =
        assertThrows(IllegalArgumentException.class, () -> ByteSize.parse(text));
    assertTrue(String.valueOf(error.getMessage()).contains("2^63 - 1"), error.getMessage());
  }

  @ParameterizedTest(name = "{0} bytes are {1}")
  @CsvSource({
    "0,0B",
    "1023,1023B",
    "1024,1KiB",
    "2097152,2MiB",
    "2097153,2097153B",
    "1610612736,1.5GiB",
    "8796093022208,8TiB",
    "9223372036854775807,9223372036854775807B"
  })
  @DisplayName("44.4 an option's size is one word")
  void formatsOptions(long bytes, String text) {
    assertEquals(text, ByteSize.formatOption(bytes));
  }

  @Test
  @DisplayName("44.4 an option's size is read back as the same bytes, for random sizes")
  void optionsAreExact() {
    long seed = 8;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int i = 0; i < 10_000; i++) {
      long bytes = random.nextLong() >>> random.nextInt(1, 64);
      bytes = i % 2 == 0 ? bytes : ByteSize.parse(ByteSize.formatDown(bytes));
      String text = ByteSize.formatOption(bytes);
      assertEquals(bytes, ByteSize.parse(text), "seed " + seed + ": " + text);
      assertTrue(text.matches("[0-9.]+[KMGTPE]?i?B"), text);
    }
  }
}
