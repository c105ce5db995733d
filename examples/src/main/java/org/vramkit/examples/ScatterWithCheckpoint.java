package org.vramkit.examples;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.vramkit.api.device.Backend;
import org.vramkit.partition.device.DevicePool;
import org.vramkit.partition.plan.Tile;
import org.vramkit.partition.scatter.Scatter;
import org.vramkit.partition.scatter.ScatterArrays;
import org.vramkit.partition.scatter.ScatterException;
import org.vramkit.partition.scatter.ScatterReport;
import org.vramkit.partition.scatter.Schedule;
import org.vramkit.partition.scatter.ThroughputHistory;
import org.vramkit.pool.caching.CachingAllocator;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

/**
 * Processes an array on devices of different speed, in chunks that balance the load. Stops half-way
 * and resumes with the finished ranges and the measured rates.
 */
public final class ScatterWithCheckpoint {
  private ScatterWithCheckpoint() {}

  /** Runs on an H200 and an RTX 4090, both simulated. */
  public static void main(String[] arguments) {
    try (SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).device(DeviceProfile.RTX_4090).build()) {
      System.out.println(run(backend, new byte[100_000]));
    }
  }

  static ScatterReport run(Backend backend, byte[] array) {
    List<CachingAllocator> allocators =
        backend.getDevices().stream().map(CachingAllocator::create).toList();
    List<Tile> finished = Collections.synchronizedList(new ArrayList<>());
    Thread caller = Thread.currentThread();
    ThroughputHistory history = new ThroughputHistory();
    try (Scatter scatter =
        Scatter.builder(DevicePool.of(backend))
            .allocators(device -> allocators.get(device.getOrdinal()))
            .throughputHistory(history)
            .listener(
                (range, done, all) -> {
                  finished.add(range);
                  System.out.printf("%3d %%%n", 100 * done / all);
                  if (finished.size() == 5) {
                    // Simulates a user who stops the program.
                    caller.interrupt();
                  }
                })
            .build()) {
      ScatterArrays data = ScatterArrays.of(ByteBuffer.wrap(array), 1);
      try {
        data.run(
            scatter,
            Schedule.guided("fill"),
            part -> part.getStream().fill(part.address(), (byte) 1, part.bytes()));
      } catch (ScatterException e) {
        System.out.println(e.getMessage() + "; finished: " + finished);
      }
      Thread.interrupted();
      // The rest could run in another process that reads these two values from a file.
      Map<String, Double> rates = history.toMap();
      List<Tile> checkpoint = List.copyOf(finished);
      System.out.println("rates: " + rates);
      return data.run(
          scatter,
          Schedule.guided("fill").resume(checkpoint),
          part -> part.getStream().fill(part.address(), (byte) 1, part.bytes()));
    } finally {
      allocators.forEach(CachingAllocator::close);
    }
  }

  static boolean isDone(byte[] array) {
    byte[] ones = new byte[array.length];
    Arrays.fill(ones, (byte) 1);
    return Arrays.equals(ones, array);
  }
}
