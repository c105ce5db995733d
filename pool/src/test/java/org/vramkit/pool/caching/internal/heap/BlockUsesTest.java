package org.vramkit.pool.caching.internal.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Stream;
import org.vramkit.sim.SimBackend;

@DisplayName("The uses of a block")
class BlockUsesTest {
  @Test
  @DisplayName("45.4 are those of one moment, because a thread may record a use meanwhile")
  void moment() {
    try (SimBackend gpu = SimBackend.builder().build();
        Stream one = gpu.getDevice(0).createStream();
        Stream other = gpu.getDevice(0).createStream()) {
      Block block = new Block(new Region(0, 4096, true, 4096), 0, 4096);
      block.addUse(one);
      List<Stream> seen = block.uses();
      block.addUse(other);
      assertEquals(List.of(one), seen);
      assertEquals(List.of(one, other), block.uses());
    }
  }
}
