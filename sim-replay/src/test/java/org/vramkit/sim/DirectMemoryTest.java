package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.sim.replay.ChildJvm;

@DisplayName("While the JVM has no direct memory left")
class DirectMemoryTest {
  @TempDir Path folder;

  @Test
  @DisplayName(
      "42.16 page-locked and managed memory are out of memory, and there again after closes")
  void outOfMemory() throws IOException, InterruptedException {
    String printed =
        ChildJvm.run(folder, "", Exhausting.class.getName(), "-XX:MaxDirectMemorySize=8m");
    assertEquals(
        List.of(
            "8 buffers, then cuMemAllocHost returned 2",
            "8 buffers, then cuMemAllocHost returned 2",
            "8 buffers, then cuMemAllocManaged returned 2",
            "8 buffers, then cuMemAllocManaged returned 2",
            "left: []"),
        printed.lines().toList());
  }

  /** Takes all of the JVM's direct memory, gives it back and does so again. */
  public static final class Exhausting {
    private Exhausting() {}

    public static void main(String[] arguments) {
      try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
        SimDevice device = gpu.getDevice(0);
        for (int round = 0; round < 2; round++) {
          System.out.println(exhaust(device.getPinnedMemory()::allocate));
        }
        for (int round = 0; round < 2; round++) {
          System.out.println(exhaust(device.getManagedMemory()::allocate));
        }
        System.out.println("left: " + gpu.getLeaks());
      }
    }

    private static String exhaust(LongFunction<PinnedBuffer> memory) {
      List<PinnedBuffer> taken = new ArrayList<>();
      try {
        while (true) {
          taken.add(memory.apply(ByteSize.MIB));
        }
      } catch (DeviceOutOfMemoryException e) {
        return "%s buffers, then %s returned %s"
            .formatted(taken.size(), e.getStatus().call(), e.getStatus().code());
      } finally {
        taken.forEach(PinnedBuffer::close);
      }
    }
  }
}
