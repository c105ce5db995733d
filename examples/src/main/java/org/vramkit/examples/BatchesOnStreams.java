package org.vramkit.examples;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.stream.StreamPool;

/** Distributes batches over a pool of streams, so that they may run concurrently. */
public final class BatchesOnStreams {
  private static final int BATCHES = 12;
  private static final int BYTES = 4096;

  private BatchesOnStreams() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    Device device = backend.getDevice(0);
    try (CachingAllocator allocator = CachingAllocator.create(device);
        StreamPool streams = StreamPool.builder(device).size(4).build()) {
      List<Allocation> batches = new ArrayList<>();
      for (int i = 0; i < BATCHES; i++) {
        Stream stream = streams.next();
        Allocation batch = allocator.allocate(BYTES, stream);
        batches.add(batch);
        stream.fill(batch.getAddress(), (byte) i, BYTES);
      }
      int sum = 0;
      for (Allocation batch : batches) {
        sum += lastByte(batch);
        batch.close();
      }
      return BATCHES + " batches on " + streams.getSize() + " streams: " + sum;
    }
  }

  private static byte lastByte(Allocation batch) {
    ByteBuffer back = ByteBuffer.allocate(1);
    batch.getStream().copyToHost(back, batch.getAddress() + BYTES - 1);
    return back.get(0);
  }
}
