package org.vramkit.ptx.step;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.Conflict;
import org.vramkit.ptx.check.RaceChecker;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.check.Shadow;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.run.Block;
import org.vramkit.ptx.run.Bounds;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.GlobalMemory.Window;
import org.vramkit.ptx.run.Grid;
import org.vramkit.ptx.run.Reports;
import org.vramkit.ptx.run.Reports.Place;
import org.vramkit.ptx.run.Reports.Target;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Space;

/** An access to memory: finds the bytes behind the address of a lane, and checks the access. */
abstract class Access extends Step {
  private static final long LOW = 0xffffffffL;

  private final String verb;
  private final Space space;
  private final long offset;
  private final boolean inFrame;
  private final @Nullable Slot base;
  private final Strength strength;

  /** Bytes of an element, and of all elements. */
  final int width;

  final int size;

  /** Bytes that are accessed: all, or the first ones. */
  int span;

  /** True if an atomic operation takes over what others have released at its address. */
  boolean acquires = true;

  /** Bytes that a load reads and does not need, at its begin and its end. */
  int unusedBefore;

  int unusedBehind;

  /**
   * Per lane: the address, until {@link #locate} and {@link #reach} replace it by the position in
   * {@link #bytes}.
   */
  private final long[] at = new long[Frame.LANES];

  /** The array with the range of memory that was located last. */
  byte[] bytes = {};

  /** The space of the range. */
  private Space found = Space.GLOBAL;

  /**
   * The base of the window that the addresses of lanes contain; 0 if they are those of the space.
   */
  private long window;

  /** First address of the range. */
  private long start;

  /** The greatest distance from it that an access may have. */
  private long room;

  /** Position of the first byte for lane 0. */
  private int first;

  /** The distance to the position for the next lane; 0 if lanes share the range. */
  private int stride;

  /** The accesses to the range; null if they are not checked, or no other thread can access it. */
  private @Nullable Shadow shadow;

  /** The first byte of the range in the shadow. */
  private int inShadow;

  /** The layout of an access: bytes of an element, number of elements, and what it orders. */
  public record Shape(int width, int count, Strength strength) {}

  Access(String verb, Where place, Shape shape) {
    this.verb = verb;
    this.space = place.space();
    this.base = place.base();
    this.offset = place.offset();
    this.inFrame = place.inFrame();
    this.width = shape.width;
    this.size = shape.width * shape.count;
    this.span = size;
    this.strength = shape.strength;
  }

  final boolean isStrong() {
    return strength != Strength.WEAK;
  }

  /** Returns whether all lanes access the same bytes of the located range. */
  final boolean isUniform() {
    return base == null && stride == 0;
  }

  /**
   * Accesses memory, for as many lanes at a time as are in one range: the loops over them are the
   * fast path.
   */
  @Override
  public void run(Warp warp, Frame frame, int mask) {
    addresses(frame);
    int rest = mask;
    while (rest != 0) {
      if (locate(warp, frame, Integer.numberOfTrailingZeros(rest))) {
        int lanes = reach(rest);
        access(warp, frame, lanes);
        rest &= ~lanes;
      } else {
        miss(frame, Integer.numberOfTrailingZeros(rest));
        rest &= rest - 1;
      }
    }
  }

  /** Accesses the located bytes of some lanes. */
  abstract void access(Warp warp, Frame frame, int lanes);

  /** Does what is left to a lane whose access is wrong. */
  void miss(Frame frame, int lane) {}

  /** Computes the addresses of all lanes. */
  final void addresses(Frame frame) {
    long added = offset + (inFrame ? frame.localBase : 0);
    Slot register = base;
    long[] addresses = at;
    if (register == null) {
      Arrays.fill(addresses, added);
    } else {
      long[] values = frame.registers[register.index()];
      for (int i = 0; i < Frame.LANES; i++) {
        addresses[i] = values[i] + added;
      }
    }
    // An address from cvta and one from mov differ by the window.
    if (space == Space.SHARED || space == Space.LOCAL) {
      for (int i = 0; i < Frame.LANES; i++) {
        addresses[i] &= LOW;
      }
    } else if (space == Space.PARAM) {
      for (int i = 0; i < Frame.LANES; i++) {
        addresses[i] &= Windows.contains(Windows.PARAM, addresses[i]) ? -1 : LOW;
      }
    }
  }

  /** Finds the range of a lane; returns false if the access is wrong, which is reported. */
  final boolean locate(Warp warp, Frame frame, int lane) {
    long where = at[lane];
    window = 0;
    boolean there =
        switch (space) {
          case GLOBAL -> global(warp, lane, where);
          case SHARED -> shared(warp, lane, where);
          case LOCAL -> local(warp, frame, lane, where);
          case CONST -> constant(warp, lane, where);
          case PARAM ->
              Windows.contains(Windows.PARAM, where)
                  ? parameter(warp, lane, where)
                  : local(warp, frame, lane, where);
          default -> generic(warp, frame, lane, where);
        };
    if (there && (where & size - 1) != 0) {
      return misaligned(warp, lane, where - window);
    }
    return there;
  }

  /**
   * Finds the positions of the first lanes, up to one that is not in the range of the one located.
   *
   * @return those lanes
   */
  final int reach(int lanes) {
    long[] positions = at;
    int shift = first;
    int step = stride;
    long begin = start;
    long most = room;
    long low = size - 1L;
    int rest = lanes;
    for (; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      long distance = positions[lane] - begin;
      if (distance < 0 || distance > most || (positions[lane] & low) != 0) {
        break;
      }
      positions[lane] = shift + distance + (long) lane * step;
    }
    return lanes & ~rest;
  }

  final int position(int lane) {
    return (int) at[lane];
  }

  final long getAddress(int lane) {
    return at[lane];
  }

  final void setAddress(int lane, long address) {
    at[lane] = address;
  }

  private boolean generic(Warp warp, Frame frame, int lane, long where) {
    if (Windows.contains(0, where)) {
      return global(warp, lane, where);
    }
    if (Windows.contains(Windows.SHARED, where)) {
      window = Windows.SHARED;
      return shared(warp, lane, where - window);
    }
    if (Windows.contains(Windows.LOCAL, where)) {
      window = Windows.LOCAL;
      return local(warp, frame, lane, where - window);
    }
    if (Windows.contains(Windows.PARAM, where)) {
      return parameter(warp, lane, where);
    }
    return outside(warp, lane, Space.GENERIC, where);
  }

  private void use(Space in, byte[] array, int position, long address, long end) {
    found = in;
    bytes = array;
    first = position;
    start = window + address;
    room = end - address - span;
    stride = 0;
    shadow = null;
  }

  private boolean global(Warp warp, int lane, long where) {
    // A misaligned access is one, even if it crosses the end of the window.
    Window here = warp.grid().global.find(where & -size, span);
    if (here == null) {
      return outside(warp, lane, Space.GLOBAL, where);
    }
    use(Space.GLOBAL, here.bytes, here.base, here.start, here.end);
    shadow = here.shadow;
    inShadow = here.inShadow(here.start);
    return true;
  }

  private boolean shared(Warp warp, int lane, long where) {
    Bounds bounds = warp.grid().sharedBounds;
    int range = bounds.find(where, span);
    if (range < 0) {
      return outside(warp, lane, Space.SHARED, where);
    }
    Block block = warp.block;
    int begin = (int) bounds.getStart(range);
    use(Space.SHARED, block.shared, begin, begin, bounds.getEnd(range));
    shadow = block.sharedShadow;
    inShadow = begin;
    return true;
  }

  private boolean local(Warp warp, Frame frame, int lane, long where) {
    if (where < 0 || where + span > frame.localTop) {
      return outside(warp, lane, Space.LOCAL, where);
    }
    use(Space.LOCAL, warp.local().bytes(), 0, 0, frame.localTop);
    stride = warp.local().at(1, 0);
    return true;
  }

  private boolean constant(Warp warp, int lane, long where) {
    Bounds bounds = warp.grid().layout.constants();
    int range = bounds.find(where, span);
    if (range < 0) {
      return outside(warp, lane, Space.CONST, where);
    }
    if (!global(warp, lane, where)) {
      return false;
    }
    long skipped = Math.max(0, bounds.getStart(range) - start);
    room = Math.min(room, bounds.getEnd(range) - span - start) - skipped;
    start += skipped;
    first += (int) skipped;
    inShadow += (int) skipped;
    return true;
  }

  private boolean parameter(Warp warp, int lane, long where) {
    window = Windows.PARAM;
    byte[] parameters = warp.grid().options.parameters;
    if (where - window + span > parameters.length) {
      return outside(warp, lane, Space.PARAM, where - window);
    }
    use(Space.PARAM, parameters, 0, 0, parameters.length);
    return true;
  }

  private boolean outside(Warp warp, int lane, Space space, long where) {
    String text = "%s %s %d bytes of %s memory at 0x%x, but there is no memory there";
    return report(FindingKind.OUT_OF_BOUNDS, warp, lane, space, where, text);
  }

  private boolean misaligned(Warp warp, int lane, long where) {
    String text = "%s %s %d bytes of %s memory at 0x%x, which is no multiple of " + size;
    return report(FindingKind.MISALIGNED, warp, lane, found, where, text);
  }

  private boolean report(
      FindingKind kind, Warp warp, int lane, Space space, long where, String text) {
    Place place = warp.place(lane, this);
    Target target = new Target(space.getText(), where, span);
    Reports reports = warp.grid().reports;
    reports.add(
        kind, place, null, target, () -> text.formatted(place, verb, span, target.space(), where));
    return false;
  }

  /** Checks the read of a lane. */
  final void checkRead(Warp warp, RaceChecker checker, int lane) {
    int count = span - unusedBefore - unusedBehind;
    if (found == Space.LOCAL) {
      boolean written = warp.local().isWritten(position(lane) + unusedBefore, count);
      if (!written && !warp.grid().layout.debug()) {
        unwritten(warp, lane);
      }
      return;
    }
    Shadow accesses = shadow;
    if (accesses == null || warp.order == null) {
      return;
    }
    if (isStrong()) {
      checker.strong(warp.order, key(warp, lane), true, false);
    }
    Conflict conflict =
        checker.read(
            accesses,
            cell(lane) + unusedBefore,
            count,
            warp.order,
            lane,
            warp.together(),
            id,
            strength);
    if (checker.isUnwritten()) {
      unwrittenShared(warp, lane);
    }
    if (conflict != null) {
      warp.grid().report(conflict, warp, lane, this, target(lane), "reads");
    }
  }

  /** Checks the write of a lane. */
  final void checkWrite(
      Warp warp, RaceChecker checker, int lane, boolean sameValue, boolean loads) {
    if (found == Space.LOCAL) {
      warp.local().write(position(lane), span);
      return;
    }
    if (shadow == null || warp.order == null) {
      return;
    }
    if (isStrong()) {
      checker.strong(warp.order, key(warp, lane), loads && acquires, true);
    }
    Conflict conflict =
        checker.write(
            shadow, cell(lane), span, warp.order, lane, warp.together(), id, strength, sameValue);
    if (loads && checker.isUnwritten()) {
      unwrittenShared(warp, lane);
    }
    if (conflict != null) {
      warp.grid().report(conflict, warp, lane, this, target(lane), verb);
    }
  }

  /** Returns the address that a lane accesses, in its space. */
  private long address(int lane) {
    return start - window + position(lane) - first - (long) lane * stride;
  }

  private int cell(int lane) {
    return position(lane) - first + inShadow;
  }

  private long key(Warp warp, int lane) {
    return (found == Space.SHARED ? warp.block.key() : 0) + address(lane);
  }

  private Target target(int lane) {
    return new Target(found.getText(), address(lane), span);
  }

  private void unwrittenShared(Warp warp, int lane) {
    if (found == Space.SHARED && start - window != warp.grid().layout.reserved()) {
      unwritten(warp, lane);
    }
  }

  private void unwritten(Warp warp, int lane) {
    String text = "%1$s reads %3$d bytes of %4$s memory at 0x%5$x that no thread has written";
    report(FindingKind.UNWRITTEN, warp, lane, found, address(lane), text);
  }

  /** Returns the checker of the launch, or null. */
  static @Nullable RaceChecker checker(Warp warp) {
    Grid grid = warp.grid();
    return grid.checker;
  }
}
