package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;

@DisplayName("The elements of a buffer, or of a slice of it")
class ElementRangeTest {
  private final PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_PAGES);
  private final BufferPool pool = scene.closing(BufferPool.create(scene.allocator));
  private final TypedBuffer buffer =
      scene.closing(pool.acquireZeroed(ElementType.FLOAT32, 5, scene.s1));

  @AfterEach
  void close() {
    scene.close();
  }

  private float[] contents() {
    float[] all = new float[5];
    buffer.copyTo(all);
    return all;
  }

  private static String refusal(Runnable action) {
    return String.valueOf(assertThrows(InvalidArgumentException.class, action::run).getMessage());
  }

  @Test
  @DisplayName("17.24 are written in full: a source that is too short is refused, as is a long one")
  void sourceFills() {
    String shorter = refusal(() -> buffer.copyFrom(new float[3]));
    assertTrue(shorter.startsWith("a float[] of 12 bytes"), shorter);
    assertTrue(shorter.contains("buffer of 5 FLOAT32") && shorter.contains("slice"), shorter);
    refusal(() -> buffer.copyFrom(new float[6]));
    refusal(() -> buffer.copyFrom(ByteBuffer.allocate(19)));
    refusal(() -> buffer.copyFrom(new float[0]));
    assertArrayEquals(new float[5], contents());
    buffer.copyFrom(new float[] {1, 2, 3, 4, 5});
    assertArrayEquals(new float[] {1, 2, 3, 4, 5}, contents());
  }

  @Test
  @DisplayName("17.24 fill a target, which may be shorter and not longer")
  void targetIsFilled() {
    buffer.copyFrom(new float[] {1, 2, 3, 4, 5});
    float[] part = new float[2];
    buffer.copyTo(part);
    assertArrayEquals(new float[] {1, 2}, part);
    String longer = refusal(() -> buffer.copyTo(new float[6]));
    assertTrue(longer.startsWith("a float[] of 24 bytes cannot be filled"), longer);
    refusal(() -> buffer.copyTo(ByteBuffer.allocate(21)));
  }

  @Test
  @DisplayName("17.24 name the kinds that an array holds, in words")
  void kinds() {
    assertEquals(
        "an int[] holds INT32, the buffer holds FLOAT32",
        refusal(() -> buffer.copyFrom(new int[5])));
    assertEquals(
        "a short[] holds INT16 or FLOAT16 or BFLOAT16, the buffer holds FLOAT32",
        refusal(() -> buffer.copyTo(new short[5])));
  }

  @Test
  @DisplayName("17.26 can be a part: copies go there and come from there, and nowhere else")
  void slice() {
    ElementRange middle = buffer.slice(1, 3);
    assertEquals(3, middle.getCount());
    assertEquals(12, middle.getSize());
    assertEquals(ElementType.FLOAT32, middle.getType());
    assertEquals(buffer.getAddress() + 4, middle.getAddress());
    assertSame(buffer.getStream(), middle.getStream());
    middle.copyFrom(new float[] {1, 2, 3});
    assertArrayEquals(new float[] {0, 1, 2, 3, 0}, contents());
    ElementRange last = middle.slice(2, 1);
    last.copyFrom(new float[] {9});
    assertArrayEquals(new float[] {0, 1, 2, 9, 0}, contents());
    float[] read = new float[3];
    middle.copyTo(read);
    assertArrayEquals(new float[] {1, 2, 9}, read);
    assertEquals(
        "slice of 1 element at 2 of slice of 3 elements at 1 of buffer of 5 FLOAT32",
        last.toString());
    buffer.slice(5, 0).copyFrom(new float[0]);
  }

  @Test
  @DisplayName("17.26 never exceed their buffer")
  void outside() {
    for (long[] part :
        new long[][] {{-1, 2}, {0, 6}, {5, 1}, {6, 0}, {0, -1}, {1, Long.MAX_VALUE}}) {
      refusal(() -> buffer.slice(part[0], part[1]));
    }
    refusal(() -> buffer.slice(1, 3).slice(1, 3));
  }

  @Test
  @DisplayName("17.26 end with the buffer, whichever buffer has its memory then")
  void endsWithBuffer() {
    ElementRange part = buffer.slice(0, 2);
    buffer.close();
    try (TypedBuffer next = pool.acquire(ElementType.FLOAT32, 5, scene.s1)) {
      assertThrows(ClosedException.class, part::getAddress);
      assertThrows(ClosedException.class, () -> part.copyFrom(new float[2]));
      assertThrows(ClosedException.class, () -> part.copyTo(new float[2]));
      assertThrows(ClosedException.class, () -> part.recordUse(scene.s2));
      assertThrows(ClosedException.class, () -> buffer.slice(0, 1));
      next.copyFrom(new float[5]);
    }
  }

  @Test
  @DisplayName("17.26 record uses of a part for the whole buffer")
  void recordUse() {
    ElementRange part = buffer.slice(4, 1);
    scene.s1.synchronize();
    scene.work(scene.s2, part.getAddress(), part.getSize());
    part.recordUse(scene.s2);
    buffer.close();
    try (TypedBuffer next = pool.acquire(ElementType.FLOAT32, 5, scene.s1)) {
      scene.work(scene.s1, next.getAddress(), next.getSize());
    }
  }
}
