package org.vramkit.ptx.step;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Conflict;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.check.Shadow;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Block;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.GlobalMemory.Window;
import org.vramkit.ptx.run.Grid;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Space;

/** An access to memory: finds the bytes behind the address of a lane, and checks the access. */
abstract class Access extends Step {
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Space space;
  private final long offset;
  private final boolean inFrame;
  private final @Nullable Slot base;

  /** Bytes of an element, and of all elements. */
  final int width;

  final int size;

  /** The bytes of the lane that was located last, and their position. */
  byte[] bytes = {};

  int at;

  /** The space that the address of that lane is in, and the address there. */
  private Space found = Space.GLOBAL;

  private long address;
  private @Nullable Window window;
  private @Nullable Shadow shadow;

  /** The layout of an access: bytes of an element, number of elements, and what it orders. */
  public record Shape(int width, int count, Strength strength) {}

  final Strength strength;

  Access(Where place, Shape shape) {
    this.space = place.space();
    this.base = place.base();
    this.offset = place.offset();
    this.inFrame = place.inFrame();
    this.width = shape.width;
    this.size = shape.width * shape.count;
    this.strength = shape.strength;
  }

  /** Returns whether the address may be one of device memory. */
  final boolean mayBeGlobal() {
    return space == Space.GLOBAL || space == Space.GENERIC;
  }

  /** Returns whether all threads of the launch read the same parameter. */
  final boolean isKernelParameter() {
    return space == Space.PARAM && base == null && !inFrame;
  }

  final long address(Frame frame, int lane) {
    Slot register = base;
    if (register == null) {
      return offset;
    }
    return offset
        + (register.kind() == Slot.Kind.LONG
            ? frame.longs[register.index()][lane]
            : frame.words[register.index()][lane] & 0xffffffffL);
  }

  /** Finds the bytes for a lane; returns false if the access is wrong, which is reported. */
  final boolean locate(Warp warp, Frame frame, int lane, String verb) {
    long where = address(frame, lane);
    where += inFrame ? frame.localBase : 0;
    address = where;
    switch (space) {
      case GLOBAL -> {
        return global(warp, lane, where, verb);
      }
      case SHARED -> {
        // An address from cvta and one from mov differ by the window.
        return shared(warp, lane, where & 0xffffffffL, verb);
      }
      case LOCAL -> {
        return local(warp, frame, lane, where & 0xffffffffL, verb);
      }
      case CONST -> {
        return constant(warp, lane, where, verb);
      }
      case PARAM -> {
        return Windows.contains(Windows.PARAM, where)
            ? parameter(warp, lane, where, verb)
            : local(warp, frame, lane, where & 0xffffffffL, verb);
      }
      default -> {
        return generic(warp, frame, lane, where, verb);
      }
    }
  }

  private boolean generic(Warp warp, Frame frame, int lane, long where, String verb) {
    if (Windows.contains(0, where)) {
      return global(warp, lane, where, verb);
    }
    if (Windows.contains(Windows.SHARED, where)) {
      return shared(warp, lane, where - Windows.SHARED, verb);
    }
    if (Windows.contains(Windows.LOCAL, where)) {
      return local(warp, frame, lane, where - Windows.LOCAL, verb);
    }
    if (Windows.contains(Windows.PARAM, where)) {
      return parameter(warp, lane, where, verb);
    }
    return outside(warp, lane, Space.GENERIC, where, verb);
  }

  private boolean global(Warp warp, int lane, long where, String verb) {
    Window last = window;
    Window here =
        last != null && where >= last.start && where + size <= last.end
            ? last
            : warp.grid().global.find(where, size);
    found = Space.GLOBAL;
    if (here == null || (where & size - 1) != 0) {
      return here == null
          ? outside(warp, lane, Space.GLOBAL, where, verb)
          : misaligned(warp, lane, Space.GLOBAL, where, verb);
    }
    window = here;
    bytes = here.bytes;
    at = here.at(where);
    shadow = here.shadow;
    return true;
  }

  private boolean shared(Warp warp, int lane, long where, String verb) {
    found = Space.SHARED;
    address = where;
    if (!warp.grid().sharedBounds.contain(where, size)) {
      return outside(warp, lane, Space.SHARED, where, verb);
    }
    if ((where & size - 1) != 0) {
      return misaligned(warp, lane, Space.SHARED, where, verb);
    }
    Block block = warp.block;
    bytes = block.shared;
    at = (int) where;
    shadow = block.sharedShadow;
    return true;
  }

  private boolean local(Warp warp, Frame frame, int lane, long where, String verb) {
    found = Space.LOCAL;
    address = where;
    if (where < 0 || where + size > frame.localTop) {
      return outside(warp, lane, Space.LOCAL, where, verb);
    }
    if ((where & size - 1) != 0) {
      return misaligned(warp, lane, Space.LOCAL, where, verb);
    }
    bytes = warp.local().bytes();
    at = warp.local().at(lane, where);
    return true;
  }

  private boolean constant(Warp warp, int lane, long where, String verb) {
    if (!warp.grid().layout.getConstantBounds().contain(where, size)) {
      return outside(warp, lane, Space.CONST, where, verb);
    }
    return global(warp, lane, where, verb);
  }

  private boolean parameter(Warp warp, int lane, long where, String verb) {
    found = Space.PARAM;
    long offset = where - Windows.PARAM;
    byte[] parameters = warp.grid().options.parameters;
    if (offset + size > parameters.length) {
      return outside(warp, lane, Space.PARAM, offset, verb);
    }
    bytes = parameters;
    at = (int) offset;
    return true;
  }

  /** Forgets the window of the last launch. */
  final void begin() {
    window = null;
  }

  private boolean outside(Warp warp, int lane, Space space, long where, String verb) {
    return report(FindingKind.OUT_OF_BOUNDS, warp, lane, space, where, verb, "is no memory there");
  }

  private boolean misaligned(Warp warp, int lane, Space space, long where, String verb) {
    String why = "is no multiple of " + size;
    return report(FindingKind.MISALIGNED, warp, lane, space, where, verb, why);
  }

  private boolean report(
      FindingKind kind, Warp warp, int lane, Space space, long where, String verb, String why) {
    Place place = warp.place(lane, this);
    String name = space.getText();
    warp.grid()
        .reports
        .add(
            kind,
            place,
            null,
            new Target(name, where, size),
            () ->
                kind == FindingKind.MISALIGNED
                    ? "%s %s %d bytes of %s memory at 0x%x, which %s"
                        .formatted(place, verb, size, name, where, why)
                    : "%s %s %d bytes of %s memory at 0x%x, but there %s"
                        .formatted(place, verb, size, name, where, why));
    return false;
  }

  /** Checks a read of the located bytes. */
  final void checkRead(Warp warp, RaceChecker checker, int lane) {
    Conflict conflict = null;
    if (found == Space.LOCAL) {
      if (!warp.grid().layout.isForDebugger() && !warp.local().isWritten(at, size)) {
        unwritten(warp, lane);
      }
      return;
    }
    checkWritten(warp, lane);
    if (shadow != null && warp.order != null && found != Space.PARAM) {
      if (strength != Strength.WEAK) {
        checker.strong(warp.order, key(warp), true, false);
      }
      conflict =
          checker.read(shadow, inShadow(), size, warp.order, lane, warp.together(), id, strength);
    }
    if (conflict != null) {
      warp.grid().report(conflict, warp, lane, this, target(), "reads");
    }
  }

  /** Checks that shared memory has been written. */
  final void checkWritten(Warp warp, int lane) {
    if (found == Space.SHARED) {
      byte[] written = warp.block.written;
      for (int i = at; i < at + size; i++) {
        if (written[i] == 0) {
          unwritten(warp, lane);
          break;
        }
      }
    }
  }

  /** Checks a write of the located bytes. */
  final void checkWrite(
      Warp warp, RaceChecker checker, int lane, boolean sameValue, boolean loads) {
    if (found == Space.LOCAL) {
      warp.local().write(at, size);
      return;
    }
    if (found == Space.SHARED) {
      byte[] written = warp.block.written;
      for (int i = at; i < at + size; i++) {
        written[i] = 1;
      }
    }
    if (shadow != null && warp.order != null && found != Space.PARAM) {
      if (strength != Strength.WEAK) {
        checker.strong(warp.order, key(warp), loads, true);
      }
      Conflict conflict =
          checker.write(
              shadow, inShadow(), size, warp.order, lane, warp.together(), id, strength, sameValue);
      if (conflict != null) {
        warp.grid().report(conflict, warp, lane, this, target(), loads ? "updates" : "writes");
      }
    }
  }

  private long key(Warp warp) {
    return found == Space.SHARED ? warp.block.key() + address : address;
  }

  private int inShadow() {
    Window here = window;
    return found == Space.SHARED || here == null ? (int) address : here.inShadow(address);
  }

  private Target target() {
    return new Target(found.getText(), address, size);
  }

  private void unwritten(Warp warp, int lane) {
    Place place = warp.place(lane, this);
    Target target = target();
    warp.grid()
        .reports
        .add(
            FindingKind.UNWRITTEN,
            place,
            null,
            target,
            () ->
                "%s reads %d bytes of %s memory at 0x%x that no thread has written"
                    .formatted(place, size, target.space(), target.address()));
  }

  static long read(byte[] bytes, int at, int width) {
    return switch (width) {
      case 1 -> bytes[at] & 0xff;
      case 2 -> (short) SHORTS.get(bytes, at) & 0xffff;
      case 4 -> (int) INTS.get(bytes, at) & 0xffffffffL;
      default -> (long) LONGS.get(bytes, at);
    };
  }

  static void write(byte[] bytes, int at, int width, long value) {
    switch (width) {
      case 1 -> bytes[at] = (byte) value;
      case 2 -> SHORTS.set(bytes, at, (short) value);
      case 4 -> INTS.set(bytes, at, (int) value);
      default -> LONGS.set(bytes, at, value);
    }
  }

  /** Returns the checker of the launch, or null. */
  static @Nullable RaceChecker checker(Warp warp) {
    Grid grid = warp.grid();
    return grid.checker;
  }
}
