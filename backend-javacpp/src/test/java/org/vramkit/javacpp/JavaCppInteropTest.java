package org.vramkit.javacpp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.javacpp.BytePointer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.InvalidArgumentException;

@DisplayName("Foreign memory has the size that its pointer or its owner tells")
class JavaCppInteropTest {
  private static final long ADDRESS = 0x7f00_0000_0000L;

  /** Its methods are not called, because no use by another stream is recorded. */
  private final Stream stream =
      (Stream)
          Proxy.newProxyInstance(
              Stream.class.getClassLoader(),
              new Class<?>[] {Stream.class},
              (proxy, method, arguments) -> {
                throw new AssertionError(method);
              });

  private final List<String> told = new ArrayList<>();

  @Test
  @DisplayName("a pointer's rest, from its position up to its limit")
  void rest() {
    BytePointer pointer = JavaCppInterop.pointer(ADDRESS, 5L << 30).position(4L << 30);
    try (Allocation memory = JavaCppInterop.wrap(pointer, stream, () -> told.add("freed"))) {
      assertAll(
          () -> assertEquals(ADDRESS + (4L << 30), memory.getAddress()),
          () -> assertEquals(1L << 30, memory.getSize()));
    }
    assertEquals(List.of("freed"), told);
  }

  @Test
  @DisplayName(
      "a pointer without a limit, as calls of the driver make them, is not taken for empty")
  void noLimit() {
    BytePointer pointer = JavaCppInterop.pointer(ADDRESS, 0);
    InvalidArgumentException error =
        assertThrows(
            InvalidArgumentException.class,
            () -> JavaCppInterop.wrap(pointer, stream, () -> told.add("freed")));
    assertTrue(error.toString().contains("pass the bytes"), error.toString());
    assertEquals(List.of(), told, "it is still its owner's");
  }

  @Test
  @DisplayName("the owner's size counts if the pointer has none, even a size of 0")
  void told() {
    BytePointer pointer = JavaCppInterop.pointer(ADDRESS, 0);
    for (long bytes : new long[] {0, 5L << 30}) {
      try (Allocation memory = JavaCppInterop.wrap(pointer, bytes, stream, () -> {})) {
        assertAll(
            () -> assertEquals(ADDRESS, memory.getAddress()),
            () -> assertEquals(bytes, memory.getSize()));
      }
    }
    assertThrows(
        InvalidArgumentException.class, () -> JavaCppInterop.wrap(pointer, -1, stream, () -> {}));
  }

  @Test
  @DisplayName("23.1 a stream of another CUDA backend is one of the presets by its address")
  void otherBackend() {
    assertEquals(ADDRESS, JavaCppHandle.stream(() -> ADDRESS).address());
  }
}
