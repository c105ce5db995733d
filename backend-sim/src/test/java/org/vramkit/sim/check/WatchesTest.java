package org.vramkit.sim.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Watched ranges of page-locked memory")
class WatchesTest {
  private static final int BYTES = 64;

  /** A range of one buffer, whose reported changes a list receives. */
  private static final class Watched extends WatchedBytes {
    private final List<Watched> reported;

    Watched(PinnedRange range, ByteBuffer content, List<Watched> reported) {
      super(range, content);
      this.reported = reported;
    }

    @Override
    void report(int first) {
      reported.add(this);
    }
  }

  private static PinnedRange range(long base, int from, int to) {
    return new PinnedRange(0, base, BYTES, base + from, base + to);
  }

  private static Set<PinnedRange> ranges(List<Watched> some) {
    return some.stream().map(each -> each.range).collect(Collectors.toSet());
  }

  @Test
  @DisplayName("are found, compared and dropped as a plain list does, in small arrays")
  void asThePlainList() {
    for (long seed = 0; seed < 2000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long base = random.nextInt(4) == 0 ? Long.MIN_VALUE : 1L << random.nextInt(62);
      ByteBuffer content = ByteBuffer.allocate(BYTES);
      List<Watched> reported = new ArrayList<>();
      Set<Watched> plain = new LinkedHashSet<>();
      Watches<Watched> watches = new Watches<>(1 << 20, plain::remove);
      String story = "seed " + seed;
      for (int step = 0; step < 40; step++) {
        int from = random.nextInt(BYTES);
        int to = from + 1 + random.nextInt(BYTES - from);
        PinnedRange range = range(base, from, to);
        List<Watched> overlapping =
            plain.stream()
                .filter(
                    each -> each.range.start() < range.end() && range.start() < each.range.end())
                .toList();
        assertEquals(
            ranges(overlapping), ranges(watches.overlapping(range.start(), range.end())), story);
        assertEquals(List.copyOf(plain), watches.all(), story);
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            @Nullable Watched added =
                watches.add(
                    range, () -> new Watched(range, content.slice(from, to - from), reported));
            plain.add(added);
            assertEquals(added, watches.get(range), story);
          }
          case 2 -> content.put(from, (byte) random.nextInt());
          case 3 -> watches.compareLast(range.start(), range.end());
          default ->
              watches.written(
                  range.start(), range.end(), () -> content.put(from, (byte) random.nextInt()));
        }
      }
    }
  }

  @Test
  @DisplayName("are dropped and compared, the oldest first, where they exceed the limit")
  void limit() {
    List<Watched> reported = new ArrayList<>();
    List<Watched> dropped = new ArrayList<>();
    ByteBuffer content = ByteBuffer.allocate(BYTES);
    Watches<Watched> watches = new Watches<>(3 * 1024 + 3 * 8, dropped::add);
    for (int at = 0; at < BYTES; at += 8) {
      PinnedRange range = range(0, at, at + 8);
      ByteBuffer part = content.slice(at, 8);
      watches.add(range, () -> new Watched(range, part, reported));
      content.put(at, (byte) 1);
    }
    assertEquals(3, watches.all().size());
    assertEquals(5, reported.size());
    assertEquals(dropped, reported);
    assertNull(watches.add(range(0, 0, 1 << 20), () -> dropped.get(0)));
  }
}
