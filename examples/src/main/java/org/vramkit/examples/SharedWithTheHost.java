package org.vramkit.examples;

import java.nio.ByteBuffer;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.device.Backend;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.discovery.Backends;
import org.vramkit.pool.direct.ManagedAllocator;

/** Shares managed memory between the host and a device, without a copy. */
public final class SharedWithTheHost {
  private static final int BYTES = 4096;

  private SharedWithTheHost() {}

  /** Runs on the backend of the class path. */
  public static void main(String[] arguments) {
    try (Backend backend = Backends.open()) {
      System.out.println(run(backend));
    }
  }

  static String run(Backend backend) {
    Device device = backend.getDevice(0);
    if (!device.getCapabilities().contains(Capability.MANAGED_MEMORY)) {
      return "no managed memory on this device";
    }
    try (ManagedAllocator allocator = ManagedAllocator.builder(device).build();
        Stream stream = device.createStream();
        Allocation shared = allocator.allocate(BYTES, stream)) {
      PinnedBuffer memory = allocator.getMemory(shared);
      ByteBuffer bytes = memory.getBytes(0, BYTES);
      // The allocation is ordered by its stream, so the host waits before it accesses the memory.
      stream.synchronize();
      memory.hostWrites(0, 1);
      bytes.put(0, (byte) 7);
      stream.copy(shared.getAddress() + 1, shared.getAddress(), 1);
      stream.synchronize();
      memory.hostReads(1, 1);
      return "the device wrote " + bytes.get(1);
    }
  }
}
