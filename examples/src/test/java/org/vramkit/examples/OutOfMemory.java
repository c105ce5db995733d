package org.vramkit.examples;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;

class OutOfMemory {
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      Device device = backend.getDevice(0);
      try (CachingAllocator allocator =
              CachingAllocator.builder(device).limit(64 * ByteSize.MIB).build();
          Stream training = device.createStream("training");
          Stream saving = device.createStream("saving");
          Event filled = device.createEvent();
          Allocation weights = allocator.tagged("weights").allocate(39 * ByteSize.MIB, training)) {
        Allocation batch = allocator.tagged("batch").allocate(8 * ByteSize.MIB, training);
        for (int i = 0; i < 10; i++) {
          training.fill(weights.getAddress(), (byte) i, weights.getSize());
        }
        filled.record(training);
        saving.waitFor(filled);
        saving.fill(batch.getAddress(), (byte) 0, batch.getSize());
        batch.recordUse(saving);
        batch.close();
        allocator.tagged("gradients").allocate(32 * ByteSize.MIB, training).close();
      } catch (AllocatorOutOfMemoryException e) {
        System.out.println(String.valueOf(e.getMessage()).replace("; ", ";\n"));
        System.out.println("steps: " + e.getReport().steps());
      }
    }
  }
}
