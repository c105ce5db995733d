package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Occupancy is that of the driver for kernels that registers do not limit")
class OccupancyTest {
  private final Occupancy h100 = Occupancy.of(9, 0);

  @Test
  @DisplayName("blocks of a multiprocessor are those that an H100 answers")
  void activeBlocks() {
    assertEquals(8, h100.activeBlocks(1024, 256, 0));
    assertEquals(2, h100.activeBlocks(1024, 1024, 0));
    assertEquals(32, h100.activeBlocks(1024, 32, 0));
    assertEquals(4, h100.activeBlocks(1024, 256, 49_152));
    assertEquals(0, h100.activeBlocks(1024, 1025, 0));
    assertEquals(1, h100.activeBlocks(1024, 32, 232_448));
    assertEquals(0, h100.activeBlocks(1024, 32, 232_449));
  }

  @Test
  @DisplayName("the suggested block is the largest with most resident threads")
  void suggestion() {
    assertEquals(1024, h100.suggestThreads(1024, 0));
    // A limit of 100 threads: an H200 suggests 64, of which 32 blocks are resident.
    assertEquals(64, h100.suggestThreads(100, 0));
    assertEquals(768, Occupancy.of(8, 9).suggestThreads(1024, 0));
  }

  @Test
  @DisplayName("opt-in shared memory is that of the data sheets")
  void optIn() {
    assertEquals(232_448, h100.limits().sharedBytesPerBlockOptIn());
    assertEquals(166_912, Occupancy.of(8, 0).limits().sharedBytesPerBlockOptIn());
    assertEquals(101_376, Occupancy.of(8, 6).limits().sharedBytesPerBlockOptIn());
    assertEquals(65_536, Occupancy.of(7, 5).limits().sharedBytesPerBlockOptIn());
  }
}
