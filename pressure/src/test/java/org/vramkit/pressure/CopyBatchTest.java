package org.vramkit.pressure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.sim.SimStream;

@DisplayName("45.2 Small blocks that are spilled")
class CopyBatchTest {
  private static final int BLOCKS = 100;
  private static final int BLOCK_BYTES = 64 * 1024;

  @Test
  @DisplayName("45.2 leave by one call where they are neighbours, and come back with their bytes")
  void neighbours() {
    Scene scene = new Scene(64);
    SimStream stream = scene.device.createStream();
    try (SpillStore store =
        SpillStore.over(scene.allocator).hostLimit(BLOCKS * BLOCK_BYTES).build()) {
      List<Spillable> blocks = new ArrayList<>();
      for (int i = 0; i < BLOCKS; i++) {
        Spillable block = store.create(BLOCK_BYTES, 0);
        blocks.add(block);
        try (SpillableLease lease = block.materialize(stream)) {
          stream.fill(lease.getAddress(), (byte) i, BLOCK_BYTES);
        }
      }
      scene.gpu.getDriverCalls().reset();
      assertEquals(BLOCKS * BLOCK_BYTES, store.spill(Long.MAX_VALUE));
      long copies = scene.gpu.getDriverCalls().getCount("cuMemcpyDtoHAsync");
      assertTrue(copies > 0 && copies < BLOCKS / 4, copies + " copies");
      for (int i = 0; i < BLOCKS; i++) {
        try (SpillableLease lease = blocks.get(i).materialize(stream)) {
          ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
          stream.copyToHost(bytes, lease.getAddress());
          assertEquals(i, bytes.get(0));
          assertEquals(i, bytes.get(BLOCK_BYTES - 1));
        }
      }
      blocks.forEach(Spillable::close);
    }
    stream.close();
    scene.close();
  }
}
