package org.vramkit.pool.pinned;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.DeviceProfile;
import org.vramkit.sim.SimBackend;

@DisplayName("42.16 A pool of page-locked buffers, while the JVM has no direct memory left")
@Tag("own-schedules")
class DirectMemoryTest {

  @Test
  @DisplayName("42.16 releases its free buffers and tries again, and is out of memory after that")
  void releasesAndRetries() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=8m",
                "-cp",
                System.getProperty("java.class.path"),
                Exhausting.class.getName())
            .redirectErrorStream(true)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), printed);
    assertEquals(
        List.of(
            "keeps 6 MiB",
            "took 5 MiB",
            "out of memory beside 5 MiB",
            "took 3 MiB, all in all 8 MiB",
            "left []"),
        printed.lines().toList());
  }

  /** Keeps free buffers that leave too little for another one. */
  static final class Exhausting {
    private static final long MIB = ByteSize.MIB;

    private Exhausting() {}

    /** Runs in a JVM of its own. */
    public static void main(String[] arguments) {
      SimBackend backend = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build();
      try (PinnedPool pool = PinnedPool.builder(backend.getDevice(0)).build()) {
        List<PooledPinnedBuffer> small = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          small.add(pool.acquire(MIB));
        }
        small.forEach(PooledPinnedBuffer::close);
        System.out.println("keeps " + pool.getStatistics().reserved().current() / MIB + " MiB");
        try (PooledPinnedBuffer large = pool.acquire(5 * MIB)) {
          System.out.println("took " + large.getSize() / MIB + " MiB");
          try {
            pool.acquire(4 * MIB).close();
          } catch (DeviceOutOfMemoryException e) {
            System.out.println("out of memory beside 5 MiB");
          }
          try (PooledPinnedBuffer rest = pool.acquire(3 * MIB)) {
            System.out.println(
                "took "
                    + rest.getSize() / MIB
                    + " MiB, all in all "
                    + pool.getStatistics().reserved().current() / MIB
                    + " MiB");
          }
        }
      }
      backend.close();
      System.out.println("left " + backend.getLeaks());
    }
  }
}
