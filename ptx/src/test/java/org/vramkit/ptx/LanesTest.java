package org.vramkit.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.report.Finding;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Windows;

@DisplayName("An access of many lanes")
class LanesTest {
  private static final int CASES = 500 * Integer.getInteger("vramkit.effort", 1);
  private static final long FIRST = Long.getLong("vramkit.seed", 0);

  /** Does the access of a case lane by lane. */
  private static final class Model {
    private final LanesCase access;
    final byte[][] memory;
    final byte[] shared = new byte[LanesCase.SHARED];
    final byte[][] local = new byte[LanesCase.LANES][LanesCase.LOCAL];
    final long[][] elements = new long[LanesCase.LANES][4];
    final BitSet touched = new BitSet();
    final Map<FindingKind, List<Long>> wrong = new TreeMap<>();
    private final BitSet written = new BitSet();

    Model(LanesCase access) {
      this.access = access;
      this.memory = new byte[access.memory.length][];
      for (int i = 0; i < memory.length; i++) {
        memory[i] = access.memory[i].clone();
      }
      for (int lane = 0; lane < LanesCase.LANES; lane++) {
        for (int at = 0; at < LanesCase.LOCAL; at += 8) {
          put(local[lane], at, 8, 32L * lane);
        }
        for (int at = 0; at < LanesCase.WRITTEN; at += 8) {
          put(shared, 32 * lane + at, 8, 32L * lane);
        }
        written.set(32 * lane, 32 * lane + LanesCase.WRITTEN);
        for (int i = 0; i < 4; i++) {
          elements[lane][i] = LanesCase.value(lane, i);
        }
      }
      for (int lane = 0; lane < LanesCase.LANES; lane++) {
        if ((access.mask >>> lane & 1) != 0) {
          run(lane);
        }
      }
    }

    private void run(int lane) {
      long address = access.addresses[lane];
      int size = access.size();
      boolean generic = access.space.equals("generic");
      if (access.space.equals("local")) {
        long at = address & 0xffffffffL;
        access(lane, at, local[lane], at, false);
      } else if (access.space.equals("shared")
          || (generic && Windows.contains(Windows.SHARED, address))) {
        long at = generic ? address - Windows.SHARED : address & 0xffffffffL;
        access(lane, at, shared, at, true);
      } else {
        for (int i = 0; i < memory.length; i++) {
          long at = address - LanesCase.STARTS[i];
          if (at >= 0 && (at & -size) + size <= memory[i].length) {
            if (access(lane, address, memory[i], at, false)) {
              touched.set(i * 4096 + (int) at, i * 4096 + (int) at + size);
            }
            return;
          }
        }
        fails(FindingKind.OUT_OF_BOUNDS, lane, address);
      }
    }

    private void fails(FindingKind kind, int lane, long address) {
      wrong.computeIfAbsent(kind, key -> new ArrayList<>()).add(address);
      if (kind != FindingKind.UNWRITTEN && !access.verb.equals("st")) {
        for (int i = 0; i < access.count; i++) {
          elements[lane][i] = 0;
        }
      }
    }

    private boolean access(int lane, long address, byte[] bytes, long at, boolean sharing) {
      int size = access.size();
      int width = access.width;
      boolean owned = sharing || access.space.equals("local");
      if (owned && at + size > bytes.length) {
        fails(FindingKind.OUT_OF_BOUNDS, lane, address);
        return false;
      }
      if ((address & size - 1) != 0) {
        fails(FindingKind.MISALIGNED, lane, address);
        return false;
      }
      int from = (int) at;
      if (sharing
          && access.checked
          && !access.verb.equals("st")
          && written.nextClearBit(from) < from + size) {
        fails(FindingKind.UNWRITTEN, lane, address);
      }
      for (int i = 0; i < access.count; i++) {
        long old = get(bytes, from + i * width, width);
        long mine = elements[lane][i];
        int cut = access.signed ? 64 - 8 * width : 0;
        switch (access.verb) {
          case "ld" -> elements[lane][i] = old << cut >> cut;
          case "st" -> put(bytes, from + i * width, width, mine);
          default -> {
            put(bytes, from, width, old + mine);
            elements[lane][i] = old;
          }
        }
      }
      if (sharing && !access.verb.equals("ld")) {
        written.set(from, from + size);
      }
      return true;
    }

    private static long get(byte[] bytes, int at, int width) {
      long value = 0;
      for (int i = 0; i < width; i++) {
        value |= (bytes[at + i] & 0xffL) << (8 * i);
      }
      return value;
    }

    private static void put(byte[] bytes, int at, int width, long value) {
      for (int i = 0; i < width; i++) {
        bytes[at + i] = (byte) (value >>> (8 * i));
      }
    }
  }

  @Test
  @DisplayName("does and reports what its lanes do one after the other")
  void random() {
    for (long seed = FIRST; seed < FIRST + CASES; seed++) {
      LanesCase access = new LanesCase(new SplittableRandom(seed));
      String words = "seed " + seed + "\n" + access.text();
      Model model = new Model(access);
      LaunchResult result = access.run();
      for (int i = 0; i < model.memory.length; i++) {
        assertArrayEquals(model.memory[i], access.memory[i], words);
      }
      for (int lane = 0; lane < LanesCase.LANES; lane++) {
        compare(model, access, lane, words + " lane " + lane);
      }
      assertEquals(summary(model), summary(access, result), words);
      if (access.checked) {
        assertEquals(model.touched, touched(access, result), words);
      }
    }
  }

  private static void compare(Model model, LanesCase access, int lane, String words) {
    for (int i = 0; i < 4; i++) {
      long kept = access.narrow ? 0xffffffffL : -1;
      assertEquals(
          model.elements[lane][i] & kept, access.out.getLong(64 * lane + 8 * i) & kept, words);
      byte[] own = access.space.equals("local") ? model.local[lane] : model.shared;
      int at = access.space.equals("local") ? 8 * i : 32 * lane + 8 * i;
      long found = access.out.getLong(64 * lane + 32 + 8 * i);
      assertEquals(Model.get(own, at, 8), found, words);
    }
  }

  private static Map<FindingKind, String> summary(Model model) {
    Map<FindingKind, String> found = new TreeMap<>();
    model.wrong.forEach((kind, at) -> found.put(kind, at.get(0) + " of " + at.size()));
    return found;
  }

  private static Map<FindingKind, String> summary(LanesCase access, LaunchResult result) {
    Map<FindingKind, String> found = new TreeMap<>();
    int line = LanesCase.line(access.text());
    for (Finding each : result.findings()) {
      boolean judged =
          each.kind() == FindingKind.OUT_OF_BOUNDS
              || each.kind() == FindingKind.MISALIGNED
              || each.kind() == FindingKind.UNWRITTEN;
      if (judged && each.line().ptxLine() == line) {
        found.put(each.kind(), each.address() + " of " + each.count());
      }
    }
    return found;
  }

  private static BitSet touched(LanesCase access, LaunchResult result) {
    BitSet found = new BitSet();
    List<AccessedRange> ranges =
        switch (access.verb) {
          case "ld" -> result.footprint().reads();
          case "st" -> result.footprint().writes();
          default -> result.footprint().atomics();
        };
    for (AccessedRange each : ranges) {
      for (int i = 0; i < LanesCase.STARTS.length; i++) {
        long at = each.address() - LanesCase.STARTS[i];
        if (at >= 0 && at < LanesCase.SIZES[i]) {
          found.set(i * 4096 + (int) at, i * 4096 + (int) (at + each.bytes()));
        }
      }
    }
    return found;
  }

  @Test
  @DisplayName("at the last addresses is out of bounds, whatever was accessed before")
  void lastAddresses() {
    String text =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry last(.param .u64 from)
        {
          .reg .b32 %r<2>;
          .reg .b64 %d<5>;
          mov.u32 %r1, %tid.x;
          ld.param.u64 %d1, [from];
          mul.wide.u32 %d2, %r1, 16384;
          add.s64 %d3, %d1, %d2;
          ld.global.u64 %d4, [%d3];
          ld.global.u64 %d4, [0x7ffffffffffffff8];
          ret;
        }
        """;
    byte[] page = new byte[16384];
    long start = 0x200_0000_0000L;
    byte[] parameters =
        ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(start).array();
    LaunchResult result =
        PtxModule.parse("last.ptx", text)
            .load(variable -> 0)
            .launch(
                Launch.of("last", new Dim3(1, 1, 1), new Dim3(1024, 1, 1))
                    .checked(false)
                    .parameters(parameters),
                at ->
                    at >= start && at < start + 1024L * page.length
                        ? new MemoryPiece(page, 0, at & -page.length, page.length)
                        : null);
    assertEquals(1, result.findings().size(), result.findings().toString());
    assertEquals(FindingKind.OUT_OF_BOUNDS, result.findings().get(0).kind());
    assertEquals(1024, result.findings().get(0).count());
  }
}
