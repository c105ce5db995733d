package org.vramkit.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.direct.DirectAllocator;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimDevice;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.driver.CallSelector;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.driver.FaultPlan;
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

  @EverySchedule(complete = true)
  @DisplayName("is right in every order of its kernels")
  void everyOrder(SimDevice device, SimStream producer, SimStream consumer) {
    reuse(2, device, producer, consumer);
  }

  @Test
  @DisplayName("reports that the driver has no memory for its third block")
  void runsOut(SimBackend gpu, SimDevice device, SimStream stream) {
    gpu.getFaults()
        .inject(FaultPlan.NONE.fail(CallSelector.of("cuMemAlloc").withNth(3), Fault.OUT_OF_MEMORY));
    try (DirectAllocator allocator = DirectAllocator.builder(device).build();
        Allocation first = allocator.allocate(4096, stream);
        Allocation second = allocator.allocate(4096, stream)) {
      assertNotEquals(first.getAddress(), second.getAddress());
      assertThrows(DeviceOutOfMemoryException.class, () -> allocator.allocate(4096, stream));
    }
  }

  @Test
  @DisplayName("computes, where its kernels have bodies")
  void computes(SimDevice device, SimStream stream) {
    try (CachingAllocator allocator = CachingAllocator.create(device);
        Allocation counter = allocator.allocate(1, stream)) {
      long address = counter.getAddress();
      stream.fill(address, (byte) 6, 1);
      stream.launch(
          SimKernel.named("increment")
              .reads(address, 1)
              .writes(address, 1)
              .body(bytes -> bytes.fill(address, (byte) (bytes.read(address, 1)[0] + 1), 1))
              .build());
      ByteBuffer seen = ByteBuffer.allocate(1);
      stream.copyToHost(seen, address);
      assertEquals(7, seen.get(0));
    }
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
