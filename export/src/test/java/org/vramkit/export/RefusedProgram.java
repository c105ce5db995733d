package org.vramkit.export;

import org.vramkit.api.allocator.AllocatorOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** A program that runs out of memory and goes on; prints what it is told, and what it leaves. */
final class RefusedProgram {
  static final String GOES_ON = "goes on, and leaves ";

  private static final int EVENTS = 5000;

  private RefusedProgram() {}

  /** Runs it in a JVM of its own. */
  public static void main(String[] args) {
    SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
    try (CachingAllocator allocator =
        CachingAllocator.builder(backend.getDevice(0))
            .limit(64 * ByteSize.MIB)
            .history(4 * ByteSize.MIB)
            .build()) {
      for (int i = 1; i <= EVENTS; i++) {
        allocator.allocate(512L * i).close();
      }
      try {
        allocator.allocate(65 * ByteSize.MIB).close();
      } catch (AllocatorOutOfMemoryException e) {
        System.out.println(e.getMessage());
      }
      allocator.allocate(ByteSize.MIB).close();
    }
    backend.close();
    System.out.println(GOES_ON + backend.getLeaks());
  }
}
