package org.vramkit.examples;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.caching.CachingAllocator;

/** Allocates device memory, copies text to the device and back. */
public final class AllocateAndCopy {
  private AllocateAndCopy() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    byte[] text = "hello, device".getBytes(StandardCharsets.UTF_8);
    try (CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0));
        Stream stream = backend.getDevice(0).createStream();
        Allocation there = allocator.allocateCopy(ByteBuffer.wrap(text), stream);
        Allocation copy = allocator.allocate(text.length, stream)) {
      stream.copy(copy.getAddress(), there.getAddress(), text.length);
      ByteBuffer back = ByteBuffer.allocate(text.length);
      stream.copyToHost(back, copy.getAddress());
      return StandardCharsets.UTF_8.decode(back).toString();
    }
  }
}
