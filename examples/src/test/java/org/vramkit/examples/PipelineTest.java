package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.testkit.sim.EverySchedule;
import org.vramkit.testkit.sim.ExpectHazard;
import org.vramkit.testkit.sim.Ordinal;
import org.vramkit.testkit.sim.SimulatedGpu;
import org.vramkit.testkit.sim.SimulatedTest;

/** What tests on simulated GPUs look like; the simulator's page quotes it. */
@DisplayName("A pipeline of two streams")
@SimulatedGpu(devices = 2, profile = "SMALL_8GIB", memory = "64MiB")
class PipelineTest {

  @Test
  @DisplayName("hands bytes over")
  void handsOver(SimDevice device, SimStream producer, SimStream consumer) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation batch = allocator.allocate(4096, producer);
        SimEvent written = device.createEvent()) {
      producer.fill(batch.getAddress(), (byte) 7, 4096);
      written.record(producer);
      consumer.waitFor(written);
      ByteBuffer seen = ByteBuffer.allocate(4096);
      consumer.copyToHost(seen, batch.getAddress());
      assertEquals(7, seen.get(4095));
      batch.recordUse(consumer);
    }
  }

  @SimulatedTest(
      seeds = 10,
      schedules = {"random", "priorities:2", "starving"})
  @DisplayName("reuses its blocks in order, whatever runs first")
  void reusesBlocks(SimDevice device, SimStream producer, SimStream consumer) {
    reuse(20, device, producer, consumer);
  }

  @EverySchedule
  @DisplayName("is right in every order of its kernels")
  void everyOrder(SimDevice device, SimStream producer, SimStream consumer) {
    reuse(2, device, producer, consumer);
  }

  @Test
  @ExpectHazard(HazardCode.PEER_NOT_ENABLED)
  @DisplayName("cannot reach the memory of another device by itself")
  void staysOnItsDevice(SimDevice device, @Ordinal(1) SimStream elsewhere) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation batch = allocator.allocate(4096)) {
      elsewhere.launch(SimKernel.named("stray").writes(batch.getAddress(), 4096).build());
    }
  }

  private static void reuse(int rounds, SimDevice device, SimStream producer, SimStream consumer) {
    try (CachingAllocator allocator = CachingAllocator.create(device)) {
      for (int round = 0; round < rounds; round++) {
        try (Allocation batch = allocator.allocate(4096, producer);
            SimEvent written = device.createEvent()) {
          producer.fill(batch.getAddress(), (byte) round, 4096);
          written.record(producer);
          consumer.waitFor(written);
          consumer.launch(SimKernel.named("train").reads(batch.getAddress(), 4096).build());
          batch.recordUse(consumer);
        }
      }
    }
  }
}
