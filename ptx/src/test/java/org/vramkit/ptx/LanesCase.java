package org.vramkit.ptx;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.vramkit.ptx.memory.Memory;
import org.vramkit.ptx.memory.MemoryPiece;
import org.vramkit.ptx.report.Dim3;
import org.vramkit.ptx.run.Windows;

/** A random access of some lanes of a warp, and a launch of it. */
final class LanesCase {
  static final int LANES = 32;
  static final int SHARED = 1024;
  static final int LOCAL = 64;

  /** Bytes of shared memory that each lane writes first, of its 32. */
  static final int WRITTEN = 24;

  /** Two allocations, of which the first lies across a multiple of 16 KiB and ends oddly. */
  static final long[] STARTS = {0x200_0000_8000L - 208, 0x200_0000_8000L + 1024};

  static final int[] SIZES = {1003, 512};

  private static final long TABLE = 0x300_0000_0000L;
  private static final long OUT = 0x301_0000_0000L;
  private static final int OUT_BYTES = 64;
  private static final long[] ODD = {0, -8, 8, 1L << 62, Long.MIN_VALUE, Long.MAX_VALUE - 15};

  final String space;
  final String verb;
  final int width;
  final int count;
  final boolean signed;
  final boolean narrow;
  final boolean checked;
  final long[] addresses = new long[LANES];
  final int mask;
  final byte[][] memory = new byte[STARTS.length][];
  private final byte[] outBytes = new byte[LANES * OUT_BYTES];
  final ByteBuffer out = littleEndian(outBytes);
  private final int added;

  LanesCase(SplittableRandom random) {
    space = new String[] {"global", "generic", "shared", "local"}[random.nextInt(4)];
    verb = new String[] {"ld", "ld", "st", "atom"}[random.nextInt(4)];
    boolean atomic = verb.equals("atom");
    width = atomic ? 4 << random.nextInt(2) : 1 << random.nextInt(4);
    count = atomic ? 1 : 1 << random.nextInt(width == 8 ? 2 : 3);
    signed = verb.equals("ld") && random.nextBoolean();
    narrow = width < 8 && (atomic || random.nextBoolean());
    checked = random.nextBoolean();
    added = random.nextInt(5) * 8 - 16;
    mask = random.nextBoolean() ? -1 : random.nextInt();
    for (int i = 0; i < memory.length; i++) {
      memory[i] = new byte[SIZES[i]];
      random.nextBytes(memory[i]);
    }
    aim(random);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  int size() {
    return width * count;
  }

  boolean isAtomic() {
    return verb.equals("atom");
  }

  /** Chooses addresses: with a stride of any sign, or without, some of them odd. */
  private void aim(SplittableRandom random) {
    long base = anyBase(random);
    long stride = (long) (random.nextInt(9) - 4) * size();
    boolean even = random.nextInt(3) != 0;
    for (int i = 0; i < LANES; i++) {
      long from = even ? base : anyBase(random);
      addresses[i] = from + stride * (even ? i : random.nextInt(3));
      if (random.nextInt(40) == 0) {
        addresses[i] += 1 + random.nextInt(8);
      } else if (random.nextInt(60) == 0 && !space.equals("local")) {
        addresses[i] = ODD[random.nextInt(ODD.length)];
      }
    }
  }

  private long anyBase(SplittableRandom random) {
    boolean sharing = space.equals("shared") || (space.equals("generic") && random.nextBoolean());
    if (sharing) {
      long window = space.equals("generic") || random.nextBoolean() ? Windows.SHARED : 0;
      return window + near(random, SHARED);
    }
    if (space.equals("local")) {
      return near(random, LOCAL);
    }
    int any = random.nextInt(STARTS.length);
    return STARTS[any] + near(random, SIZES[any]);
  }

  private long near(SplittableRandom random, int bytes) {
    return (random.nextInt(bytes + 32) - 16L) & -size();
  }

  /** The value that a lane writes to an element. */
  static long value(int lane, int element) {
    return (lane * 4L + element + 1) * 0x9e3779b97f4a7c15L;
  }

  /** Returns the instruction; registers of elements begin with e. */
  private String instruction() {
    String kind = isAtomic() ? ".add.u" : signed ? ".s" : ".u";
    String vector = count == 1 ? "" : ".v" + count;
    String elements = "%e0";
    for (int i = 1; i < count; i++) {
      elements += ", %e" + i;
    }
    String data = count == 1 ? elements : "{" + elements + "}";
    String register = space.equals("shared") && narrow ? "%half" : "%a";
    String place = "[%s%+d]".formatted(register, added);
    String in = space.equals("generic") ? "" : "." + space;
    String type = kind + 8 * width;
    return switch (verb) {
      case "ld" -> "ld%s%s%s %s, %s;".formatted(in, vector, type, data, place);
      case "st" -> "st%s%s%s %s, %s;".formatted(in, vector, type, place, data);
      default -> "atom%s%s %s, %s, %s;".formatted(in, type, data, place, data);
    };
  }

  /** The line of the access in the text. */
  static int line(String text) {
    return (int) text.substring(0, text.indexOf("@%p1")).lines().count();
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .extern .shared .align 16 .b8 s[];
        .visible .entry lanes(.param .u64 table, .param .u64 out)
        {
          .reg .pred %p<2>;
          .reg .b32 %r<3>;
          .reg .b32 %half;
          .reg .b64 %d<9>;
          .reg .b64 %a;
          .local .align 16 .b8 l[64];
        """);
    text.append("  .reg .b%d %%e<4>;%n".formatted(narrow ? 32 : 64));
    text.append(
        """
          mov.u32 %r1, %tid.x;
          ld.param.u64 %d1, [table];
          ld.param.u64 %d2, [out];
          mul.wide.u32 %d3, %r1, 48;
          add.s64 %d1, %d1, %d3;
          mul.wide.u32 %d3, %r1, 64;
          add.s64 %d2, %d2, %d3;
          mul.wide.u32 %d3, %r1, 32;
          mov.u64 %d4, s;
          add.s64 %d4, %d4, %d3;
          mov.u64 %d5, l;
          ld.global.u64 %a, [%d1];
          ld.global.u32 %r2, [%d1+8];
          setp.ne.u32 %p1, %r2, 0;
        """);
    for (int at = 0; at < WRITTEN; at += 8) {
      text.append("  st.shared.u64 [%%d4+%d], %%d3;%n".formatted(at));
    }
    for (int at = 0; at < LOCAL; at += 8) {
      text.append("  st.local.u64 [%%d5+%d], %%d3;%n".formatted(at));
    }
    for (int i = 0; i < 4; i++) {
      text.append("  ld.global.u%d %%e%d, [%%d1+%d];%n".formatted(narrow ? 32 : 64, i, 16 + 8 * i));
    }
    text.append(space.equals("local") ? "  add.s64 %a, %a, %d5;\n" : "");
    text.append("  cvt.u32.u64 %half, %a;\n  bar.warp.sync -1;\n");
    text.append("  @%p1 ").append(instruction()).append("\n  bar.warp.sync -1;\n");
    for (int i = 0; i < 4; i++) {
      text.append("  st.global.u%d [%%d2+%d], %%e%d;%n".formatted(narrow ? 32 : 64, 8 * i, i));
    }
    String own = space.equals("local") ? "local" : "shared";
    for (int at = 0; at < 32; at += 8) {
      text.append(
          "  ld.%s.u64 %%d6, [%%d%d+%d];%n".formatted(own, own.equals("local") ? 5 : 4, at));
      text.append("  st.global.u64 [%%d2+%d], %%d6;%n".formatted(32 + at));
    }
    return text.append("  ret;\n}\n").toString();
  }

  LaunchResult run() {
    byte[] tableBytes = new byte[LANES * 48];
    ByteBuffer table = littleEndian(tableBytes);
    for (int i = 0; i < LANES; i++) {
      table.putLong(48 * i, addresses[i] - added);
      table.putInt(48 * i + 8, mask >>> i & 1);
      for (int element = 0; element < 4; element++) {
        table.putLong(48 * i + 16 + 8 * element, value(i, element));
      }
    }
    Memory all =
        address -> {
          if (address >= TABLE && address < TABLE + tableBytes.length) {
            return new MemoryPiece(tableBytes, 0, TABLE, tableBytes.length);
          }
          if (address >= OUT && address < OUT + outBytes.length) {
            return new MemoryPiece(outBytes, 0, OUT, outBytes.length);
          }
          for (int i = 0; i < STARTS.length; i++) {
            if (address >= STARTS[i] && address < STARTS[i] + SIZES[i]) {
              return new MemoryPiece(memory[i], 0, STARTS[i], SIZES[i]);
            }
          }
          return null;
        };
    return PtxModule.parse("lanes.ptx", text())
        .load(variable -> 0)
        .launch(
            Launch.of("lanes", new Dim3(1, 1, 1), new Dim3(LANES, 1, 1))
                .sharedBytes(SHARED)
                .checked(checked)
                .parameters(littleEndian(new byte[16]).putLong(TABLE).putLong(OUT).array()),
            all);
  }
}
