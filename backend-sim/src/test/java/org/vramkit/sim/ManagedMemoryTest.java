package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;

@DisplayName("Managed memory, and the limits of memory of the host")
class ManagedMemoryTest {
  private static final int BYTES = 4096;

  @Test
  @DisplayName("may exceed the device, and is one memory for the host and the device")
  void largerThanTheDevice() {
    try (Scene scene = new Scene()) {
      long size = scene.device.getProperties().totalMemoryBytes() + ByteSize.GIB;
      try (PinnedBuffer large = scene.device.getManagedMemory().allocate(size)) {
        long last = size - BYTES;
        large.getBytes(last, BYTES).put(0, (byte) 7);
        scene.s1.copy(large.getAddress() + 1, large.getAddress() + last, 1);
        scene.s1.fill(large.getAddress() + ByteSize.GIB - 1, (byte) 9, 2);
        scene.s1.synchronize();
        assertEquals(7, large.getBytes(0, 2).get(1));
        assertEquals(9, large.getBytes(ByteSize.GIB - 1, 2).get(1));
        assertEquals(9, large.getBytes(ByteSize.GIB, 1).get(0));
      }
      scene.expect();
    }
  }

  @Test
  @DisplayName("has views that share their bytes, wherever they begin and end")
  void views() {
    long seed = 1;
    SplittableRandom random = new SplittableRandom(seed);
    HostMemory memory = HostMemory.sparse(5 * ByteSize.GIB);
    List<ByteBuffer> views = new ArrayList<>();
    List<Long> offsets = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      // Around the ends of windows, so that they overlap each other there.
      long end = ByteSize.GIB * (1 + random.nextInt(4)) + random.nextInt(BYTES);
      long offset = i % 10 == 0 ? end - (3L << 29) : end - random.nextInt(2 * BYTES);
      views.add(memory.view(offset, i % 10 == 0 ? 3 << 29 : 2 * BYTES));
      offsets.add(offset);
    }
    for (int i = 0; i < views.size(); i++) {
      int at = views.get(i).capacity() - 2 * BYTES + random.nextInt(2 * BYTES);
      views.get(i).put(at, (byte) (i + 1));
      long where = offsets.get(i) + at;
      for (int other = 0; other < views.size(); other++) {
        long there = where - offsets.get(other);
        if (there >= 0 && there < views.get(other).capacity()) {
          assertEquals(i + 1, views.get(other).get((int) there), "seed " + seed + ", view " + i);
        }
      }
    }
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {BYTES, 64 * ByteSize.MIB})
  @DisplayName("that a pool hands out counts as written, because views may write it unseen")
  void writtenThroughAView(long size) {
    try (Scene scene = new Scene();
        PinnedBuffer shared = scene.device.getManagedMemory().allocate(size)) {
      scene.handOut(shared.getAddress(), BYTES, scene.s1);
      shared.getBytes(0, BYTES).put(5, (byte) 1);
      scene.read(scene.s1, shared.getAddress(), BYTES);
      scene.s1.synchronize();
      scene.takeBack(shared.getAddress(), scene.s1);
      scene.expect();
    }
  }

  @Test
  @DisplayName("unlike page-locked memory, whose limits an error names")
  void pageLockedLimits() {
    try (Scene scene = new Scene(builder -> builder.bytes(false))) {
      String message =
          String.valueOf(
              assertThrows(
                      DeviceOutOfMemoryException.class,
                      () -> scene.device.getPinnedMemory().allocate(2 * ByteSize.GIB))
                  .getMessage());
      assertTrue(message.contains("a simulated buffer has at most 2 GiB - 9 B"), message);
      assertTrue(message.contains("-XX:MaxDirectMemorySize"), message);
    }
  }
}
