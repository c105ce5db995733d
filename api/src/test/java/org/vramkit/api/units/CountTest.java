package org.vramkit.api.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A count with its noun")
class CountTest {
  @ParameterizedTest
  @DisplayName("is singular for one only, and groups its digits")
  @CsvSource({
    "1, step, 1 step",
    "0, step, 0 steps",
    "2, driver call, 2 driver calls",
    "-1, byte, -1 bytes",
    "12345, step, '12,345 steps'"
  })
  void wordsOfCounts(long count, String noun, String words) {
    assertEquals(words, Count.of(count, noun));
  }
}
