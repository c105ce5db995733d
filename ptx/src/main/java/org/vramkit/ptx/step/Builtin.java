package org.vramkit.ptx.step;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Arguments.Home;
import org.vramkit.ptx.run.Bytes;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.GlobalMemory.Window;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Space;

/** The functions that the driver provides: vprintf, malloc, free, __assertfail. */
public final class Builtin extends Step {
  private static final Set<String> NAMES = Set.of("vprintf", "malloc", "free", "__assertfail");
  private static final int LONGEST = 1 << 16;

  private final String name;
  private final List<Home> arguments;
  private final @Nullable Home result;

  public Builtin(String name, List<Home> arguments, @Nullable Home result) {
    this.name = name;
    this.arguments = List.copyOf(arguments);
    this.result = result;
  }

  /** Returns whether the driver provides a function. */
  public static boolean provides(String name) {
    return NAMES.contains(name);
  }

  @Override
  public void run(Warp warp, Frame frame, int mask) {
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      int lane = Integer.numberOfTrailingZeros(lanes);
      long value =
          switch (name) {
            case "vprintf" -> print(warp, frame, lane);
            case "malloc" -> warp.grid().heap.allocate(argument(warp, frame, lane, 0));
            case "free" -> free(warp, lane, argument(warp, frame, lane, 0));
            default -> fail(warp, frame, lane);
          };
      if (result != null) {
        result.set(warp, frame, lane, value);
      }
    }
  }

  private long argument(Warp warp, Frame frame, int lane, int index) {
    return arguments.get(index).get(warp, frame, lane);
  }

  private long free(Warp warp, int lane, long address) {
    if (warp.grid().heap.free(address, warp.grid().global)) {
      return 0;
    }
    Place place = warp.place(lane, this);
    String text = "%s frees 0x%x, which malloc has not given, or which is free already";
    Target target = new Target(Space.GLOBAL.getText(), address, 1);
    Supplier<String> words = () -> text.formatted(place, address);
    warp.grid().reports.add(FindingKind.OUT_OF_BOUNDS, place, null, target, words);
    return 1;
  }

  private long fail(Warp warp, Frame frame, int lane) {
    String condition = text(warp, lane, argument(warp, frame, lane, 0));
    String file = text(warp, lane, argument(warp, frame, lane, 1));
    long line = argument(warp, frame, lane, 2) & 0xffffffffL;
    String message = "%s:%d: assertion `%s` failed".formatted(file, line, condition);
    warp.grid().trap(warp, 1 << lane, this, message);
    return 0;
  }

  private static String text(Warp warp, int lane, long address) {
    StringBuilder text = new StringBuilder();
    for (long at = address; text.length() < LONGEST; at++) {
      int next = (int) load(warp, lane, at, 1);
      if (next <= 0) {
        break;
      }
      text.append((char) next);
    }
    return text.toString();
  }

  /** Reads memory by a generic address; -1 if there is none. */
  private static long load(Warp warp, int lane, long address, int width) {
    if (Windows.contains(Windows.LOCAL, address)) {
      int at = warp.local().at(lane, address - Windows.LOCAL);
      byte[] bytes = warp.local().bytes();
      return at + width <= bytes.length ? Bytes.read(bytes, at, width) : -1;
    }
    if (Windows.contains(Windows.SHARED, address)) {
      long at = address - Windows.SHARED;
      byte[] bytes = warp.block.shared;
      return at + width <= bytes.length ? Bytes.read(bytes, (int) at, width) : -1;
    }
    Window window = warp.grid().global.find(address, width);
    return window == null ? -1 : Bytes.read(window.bytes, window.at(address), width);
  }

  private long print(Warp warp, Frame frame, int lane) {
    String format = text(warp, lane, argument(warp, frame, lane, 0));
    long next = argument(warp, frame, lane, 1);
    StringBuilder out = new StringBuilder();
    int count = 0;
    int at = 0;
    while (at < format.length()) {
      int percent = format.indexOf('%', at);
      if (percent < 0 || percent == format.length() - 1) {
        out.append(format, at, format.length());
        break;
      }
      out.append(format, at, percent);
      int end = percent + 1;
      while (end < format.length() && "-+ #0123456789.*hlLjzt".indexOf(format.charAt(end)) >= 0) {
        end++;
      }
      if (end == format.length() || format.charAt(end) == '%') {
        out.append('%');
        at = end + 1;
        continue;
      }
      String flags = format.substring(percent + 1, end);
      while (flags.contains("*")) {
        next = next + 3 & -4;
        flags = flags.replaceFirst("\\*", String.valueOf((int) load(warp, lane, next, 4)));
        next += 4;
        count++;
      }
      char kind = format.charAt(end);
      boolean wide = "fFeEgGaAsp".indexOf(kind) >= 0 || PrintFormat.isWide(flags);
      int width = wide ? 8 : 4;
      next = next + width - 1 & -width;
      long value = load(warp, lane, next, width);
      next += width;
      String string = kind == 's' ? text(warp, lane, value) : "";
      out.append(PrintFormat.format(flags, kind, value, string));
      count += PrintFormat.isCounted(flags) ? 1 : 0;
      at = end + 1;
    }
    warp.grid().options.output.accept(out.toString());
    return count;
  }
}
