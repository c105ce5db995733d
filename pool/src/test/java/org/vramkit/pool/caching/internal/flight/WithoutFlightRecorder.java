package org.vramkit.pool.caching.internal.flight;

import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/** A program for a JVM without {@code jdk.jfr}. */
final class WithoutFlightRecorder {
  private WithoutFlightRecorder() {}

  public static void main(String[] arguments) {
    try (SimBackend backend = SimBackend.builder().device(DeviceProfile.H200).build();
        CachingAllocator allocator = CachingAllocator.create(backend.getDevice(0))) {
      String refusal = "not refused";
      long size;
      try (Allocation held = allocator.allocate(1000)) {
        size = held.getSize();
        allocator.allocate(1L << 50).close();
      } catch (DeviceOutOfMemoryException e) {
        refusal = "refused";
        size = 1000;
      }
      boolean recorder =
          new FlightLog(allocator.getDevice(), allocator::getStatistics, "").observer()
              != PoolObserver.NONE;
      System.out.println("allocated " + size + ", " + refusal + ", recorder " + recorder);
    }
  }
}
