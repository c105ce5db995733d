package org.vramkit.pool.buffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.ElementType;
import org.vramkit.pool.AllocatorKind;
import org.vramkit.pool.PoolScene;
import org.vramkit.sim.SimStream;

@DisplayName("S2: buffers of closed streams")
class ClosedStreamBuffersTest {
  private static final int MANY = 1000;
  private static final int BYTES = 256;

  private final PoolScene scene = new PoolScene(AllocatorKind.CACHING_ON_SEGMENTS);
  private final BufferPool pool = scene.closing(BufferPool.create(scene.allocator));

  @AfterEach
  void close() {
    scene.close();
  }

  private void use(SimStream stream, int bytes) {
    pool.acquire(ElementType.INT8, bytes, stream).close();
  }

  @Test
  @DisplayName("17.25 go back when there are many, while those of open streams stay and are hit")
  void goBack() {
    use(scene.s1, BYTES);
    use(scene.s2, BYTES);
    long most = 0;
    for (int i = 0; i < MANY; i++) {
      try (SimStream stream = scene.device.createStream()) {
        use(stream, BYTES);
      }
      most = Math.max(most, pool.getCachedBytes(0));
    }
    assertTrue(most < MANY * BYTES / 4, most + " bytes of closed streams were kept");
    long hits = pool.getStatistics().hits();
    use(scene.s1, BYTES);
    use(scene.s2, BYTES);
    assertEquals(hits + 2, pool.getStatistics().hits());
  }

  @Test
  @DisplayName("17.25 few of them stay, as looking for them would cost more")
  void fewStay() {
    try (SimStream stream = scene.device.createStream()) {
      use(stream, BYTES);
    }
    use(scene.s1, BYTES);
    assertEquals(2 * BYTES, pool.getCachedBytes(0));
  }
}
