package org.vramkit.api.allocator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("ElementType")
class ElementTypeTest {

  @ParameterizedTest(name = "{0} has {1} bytes")
  @CsvSource({
    "INT8,1",
    "INT16,2",
    "INT32,4",
    "INT64,8",
    "FLOAT16,2",
    "BFLOAT16,2",
    "FLOAT32,4",
    "FLOAT64,8"
  })
  @DisplayName("knows its width")
  void width(ElementType type, int bytes) {
    assertEquals(bytes, type.getWidth());
    assertEquals(1001L * bytes, type.bytesOf(1001));
  }

  @ParameterizedTest
  @EnumSource(names = "INT8", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("refuses counts that overflow, naming both factors")
  void overflow(ElementType type) {
    assertEquals(0, type.bytesOf(0));
    long most = Long.MAX_VALUE / type.getWidth();
    assertEquals(most * type.getWidth(), type.bytesOf(most));
    ArithmeticException error =
        assertThrows(ArithmeticException.class, () -> type.bytesOf(most + 1));
    String message = String.valueOf(error.getMessage());
    assertTrue(message.contains((most + 1) + " elements x " + type.getWidth()), message);
    assertThrows(IllegalArgumentException.class, () -> type.bytesOf(-1));
  }
}
