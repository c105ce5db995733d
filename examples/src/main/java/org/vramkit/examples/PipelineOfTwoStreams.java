package org.vramkit.examples;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.pinned.PinnedPool;
import org.vramkit.pool.pinned.PooledPinnedBuffer;

/** Copies each batch to the device while the device works on the previous one. */
public final class PipelineOfTwoStreams {
  private static final int BATCHES = 8;
  private static final int BYTES = 1 << 20;

  private PipelineOfTwoStreams() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    Device device = backend.getDevice(0);
    try (CachingAllocator allocator = CachingAllocator.create(device);
        PinnedPool hostBuffers = PinnedPool.create(device);
        Stream copies = device.createStream("copies");
        Stream work = device.createStream("work");
        Event copied = device.createEvent();
        Allocation results = allocator.allocate(BATCHES, work);
        PooledPinnedBuffer back = hostBuffers.acquire(BATCHES)) {
      for (int i = 0; i < BATCHES; i++) {
        try (PooledPinnedBuffer source = hostBuffers.acquire(BYTES);
            Allocation batch = allocator.allocate(BYTES, copies)) {
          read(i, source.getBytes());
          source.copyToDevice(batch.getAddress(), copies);
          copied.record(copies);
          work.waitFor(copied);
          // Represents a kernel.
          work.copy(results.getAddress() + i, batch.getAddress() + BYTES - 1, 1);
          batch.recordUse(work);
        }
      }
      back.copyToHost(results.getAddress(), work);
      work.synchronize();
      return sum(back.getBytes());
    }
  }

  /** Fills the buffer in place of a file or a network. */
  private static void read(int batch, ByteBuffer target) {
    while (target.hasRemaining()) {
      target.put((byte) batch);
    }
  }

  private static String sum(ByteBuffer results) {
    int sum = 0;
    for (int i = 0; i < BATCHES; i++) {
      sum += results.get(i);
    }
    return BATCHES + " batches: " + sum;
  }
}
