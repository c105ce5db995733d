package org.vramkit.api.error;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Steps that are all taken")
class BatchTest {

  @Test
  @DisplayName("go on after a failure; the first is thrown with the others suppressed")
  void failures() {
    IllegalStateException first = new IllegalStateException("first");
    AssertionError second = new AssertionError("second");
    List<Integer> taken = new ArrayList<>();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                Batch.forEach(
                    List.of(1, 2, 3, 4),
                    each -> {
                      taken.add(each);
                      if (each == 2) {
                        throw first;
                      }
                      if (each == 3) {
                        throw second;
                      }
                    }));
    assertSame(first, thrown);
    assertArrayEquals(new Throwable[] {second}, thrown.getSuppressed());
    assertEquals(List.of(1, 2, 3, 4), taken);
  }

  @Test
  @DisplayName("may throw one and the same object, as a lost device does, which is not suppressed")
  void sameFailure() {
    AssertionError lost = new AssertionError("lost");
    Runnable failing =
        () -> {
          throw lost;
        };
    AssertionError thrown =
        assertThrows(AssertionError.class, () -> Batch.run(failing, () -> {}, failing));
    assertSame(lost, thrown);
    assertEquals(0, thrown.getSuppressed().length);
  }

  @Test
  @DisplayName("17.8 keep a bounded number of failures, however many there are")
  void manyFailures() {
    List<Integer> many = IntStream.range(0, 20_000).boxed().toList();
    IllegalStateException thrown =
        assertThrows(
            IllegalStateException.class,
            () ->
                Batch.forEach(
                    many,
                    each -> {
                      throw new IllegalStateException("step " + each);
                    }));
    assertEquals("step 0", thrown.getMessage());
    assertEquals(100, thrown.getSuppressed().length);
  }
}
