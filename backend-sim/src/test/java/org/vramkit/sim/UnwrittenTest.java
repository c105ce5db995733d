package org.vramkit.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.PinnedBuffer;

@DisplayName("The unwritten bytes of a page-locked buffer")
class UnwrittenTest {
  private static final int ROUNDS = 20_000;

  /** Compares a small buffer with a plain model: one set of bytes, and no ranges. */
  private static final class Model {
    private final int size;
    private final ByteBuffer content;
    private final byte[] pattern;
    private final BitSet maybeUnwritten = new BitSet();
    private final BitSet noticed = new BitSet();
    private final Unwritten unwritten;

    Model(int size) {
      this.size = size;
      content = ByteBuffer.allocate(size);
      unwritten =
          Unwritten.all(
              content, (offset, bytes) -> noticed.set((int) offset, (int) (offset + bytes)));
      pattern = content.array().clone();
      maybeUnwritten.set(0, size);
    }

    /** Writes through a view; some of the values are those of the pattern. */
    void write(int from, int to, SplittableRandom random) {
      for (int i = from; i < to; i++) {
        content.put(i, random.nextInt(3) == 0 ? pattern[i] : (byte) random.nextInt());
      }
    }

    void remove(int from, int to) {
      maybeUnwritten.clear(from, to);
      unwritten.remove(from, to);
    }

    /** Asks both for the unwritten bytes of a range. */
    void check(int from, int to, String story) {
      BitSet found = new BitSet();
      BitSet written = new BitSet();
      for (int start = maybeUnwritten.nextSetBit(from); start >= 0 && start < to; ) {
        int end = Math.min(to, maybeUnwritten.nextClearBit(start));
        judge(start, end, found, written);
        start = maybeUnwritten.nextSetBit(end);
      }
      maybeUnwritten.andNot(written);
      noticed.clear();
      BitSet answered = new BitSet();
      unwritten.in(from, to).forEach(run -> answered.set((int) run.start(), (int) run.end()));
      assertEquals(found, answered, story);
      assertEquals(written, noticed, story);
      assertEquals(maybeUnwritten.isEmpty(), unwritten.isEmpty(), story);
    }

    /** Judges each byte by the run of the pattern around it. */
    private void judge(int start, int end, BitSet found, BitSet written) {
      for (int i = start; i < end; i++) {
        int from = i;
        while (from > start && isPattern(from - 1)) {
          from--;
        }
        int to = i;
        while (to < end && isPattern(to)) {
          to++;
        }
        boolean isInside = from > start && to < end;
        if (!isPattern(i) || (isInside && to - from < 8)) {
          written.set(i);
        } else if (to - from >= 4) {
          found.set(i);
        }
      }
    }

    private boolean isPattern(int at) {
      return content.get(at) == pattern[at];
    }
  }

  @Test
  @DisplayName("are those of a plain model, whatever was written in which order")
  void asThePlainModel() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Model model = new Model(1 + random.nextInt(40));
      List<String> steps = new ArrayList<>();
      for (int step = 0; step < 12; step++) {
        int from = random.nextInt(model.size);
        int to = from + 1 + random.nextInt(model.size - from);
        int kind = random.nextInt(3);
        steps.add(List.of("write ", "remove ", "check ").get(kind) + from + " to " + to);
        if (kind == 0) {
          model.write(from, to, random);
        } else if (kind == 1) {
          model.remove(from, to);
        } else {
          model.check(from, to, "seed " + seed + ", " + model.size + " bytes: " + steps);
        }
      }
      model.check(0, model.size, "seed " + seed + ", " + model.size + " bytes: " + steps);
    }
  }

  @Test
  @DisplayName("are named exactly beside bytes that a copy and a view have written")
  void besideACopyAndAView() {
    try (Scene scene = new Scene();
        PinnedBuffer host = scene.device.getPinnedMemory().allocate(100)) {
      scene.s1.copyToDevice(scene.block, ByteBuffer.allocate(100));
      scene.s1.copyToHost(host, 50, scene.block, 10);
      scene.s1.synchronize();
      host.getBytes(0, 100).put(45, (byte) 1);
      scene.s1.copyToDevice(scene.block, host, 0, 100);
      scene.read(scene.s1, scene.block, 100);
      scene.s1.synchronize();
      String missing =
          scene.backend.getHazards().stream()
              .map(report -> report.code() + " " + report.missing())
              .collect(Collectors.joining());
      assertEquals(
          "UNINIT_READ a write of [0x20000000000, +45), [0x2000000002e, +4), [0x2000000003c, +40),"
              + " copied there from [0x700000000000, +45) of page-locked buffer, which were never"
              + " written",
          missing);
    }
  }

  @Test
  @DisplayName("need no more time than their bytes, where four threads write ends and copy")
  void threads() throws InterruptedException {
    try (SimBackend gpu = SimBackend.builder().device(DeviceProfile.SMALL_8GIB).build()) {
      SimDevice device = gpu.getDevice(0);
      List<Thread> threads = new ArrayList<>();
      for (long seed = 1; seed <= 4; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        threads.add(new Thread(() -> copyEnds(device, random)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), gpu.getHazards());
    }
  }

  private static void copyEnds(SimDevice device, SplittableRandom random) {
    try (SimStream stream = device.createStream()) {
      long memory = device.getMemory().allocate(4096);
      for (int i = 0; i < 200; i++) {
        int bytes = 1 + random.nextInt(4096);
        try (PinnedBuffer host = device.getPinnedMemory().allocate(bytes)) {
          host.getBytes(0, bytes).put(0, (byte) i).put(bytes - 1, (byte) i);
          int from = random.nextInt(bytes);
          stream.copyToDevice(memory, host, from, bytes - from);
          stream.copyToHost(host, 0, memory, bytes - from);
          stream.copyToDevice(memory, host, 0, bytes);
          stream.synchronize();
        }
      }
      device.getMemory().free(memory);
    }
  }
}
