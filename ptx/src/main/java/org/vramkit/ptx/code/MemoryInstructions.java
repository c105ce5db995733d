package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.check.WarpOrder;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.step.Arrivals;
import org.vramkit.ptx.step.Atomic;
import org.vramkit.ptx.step.Compute;
import org.vramkit.ptx.step.Copy;
import org.vramkit.ptx.step.Effects;
import org.vramkit.ptx.step.Load;
import org.vramkit.ptx.step.Special;
import org.vramkit.ptx.step.Store;
import org.vramkit.ptx.step.Where;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Space;
import org.vramkit.ptx.syntax.Type;
import org.vramkit.ptx.syntax.Variable;

/** Translates loads, stores, atomic operations and asynchronous copies. */
final class MemoryInstructions {
  private static final int STACK_ALIGNMENT = 16;

  /** Bytes of which bulk copies have a multiple. */
  private static final int BULK = 16;

  private final FunctionTranslator t;

  MemoryInstructions(FunctionTranslator translator) {
    this.t = translator;
  }

  private static Space space(Instruction at) {
    String name =
        at.firstOf(
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "const",
            "param",
            "param::entry",
            "param::func");
    if (name.isEmpty()) {
      return Space.GENERIC;
    }
    int colon = name.indexOf(':');
    return Space.valueOf(
        (colon < 0 ? name : name.substring(0, colon)).toUpperCase(java.util.Locale.ROOT));
  }

  static Strength strength(Instruction at) {
    if (at.has("volatile")) {
      return Strength.VOLATILE;
    }
    return at.firstOf("relaxed", "acquire", "release", "acq_rel", "mmio").isEmpty()
        ? Strength.WEAK
        : Strength.ATOMIC;
  }

  /** Returns the place of an address operand. */
  private Where where(Operand operand, Space space) {
    if (!(operand instanceof Operand.Address address)) {
      t.mismatch();
      return new Where(space, null, 0, false);
    }
    Operand base = address.base();
    if (base instanceof Operand.Name name && name.variable() != null) {
      Variable variable = name.variable();
      boolean parameter = variable.space == Space.PARAM;
      if (parameter && t.isKernelParameter(variable)) {
        long offset = Windows.PARAM + t.localOffset(variable) + address.offset();
        return new Where(Space.PARAM, null, offset, false);
      }
      if (parameter || variable.space == Space.LOCAL) {
        return new Where(Space.LOCAL, null, t.localOffset(variable) + address.offset(), true);
      }
    }
    if (base instanceof Operand.Literal number) {
      return new Where(space, null, number.bits() + address.offset(), false);
    }
    Type type =
        base instanceof Operand.Reg reg && reg.register().type.bits == 32 ? Type.B32 : Type.B64;
    if (base instanceof Operand.Reg reg && reg.register().type.isFloat()) {
      t.mismatch();
    }
    return new Where(space, t.source(base, type), address.offset(), false);
  }

  private static int count(Instruction at) {
    String vector = at.firstOf("v2", "v4", "v8");
    return vector.isEmpty() ? 1 : vector.charAt(1) - '0';
  }

  private static List<Operand> elements(Operand operand) {
    return operand instanceof Operand.Vector vector ? vector.elements() : List.of(operand);
  }

  void load(Instruction at) {
    Type type = at.getType();
    Where where = where(at.operands.get(1), space(at));
    List<Operand> elements = elements(at.operands.get(0));
    int count = count(at);
    if (elements.size() != count) {
      t.mismatch();
      return;
    }
    List<@Nullable Slot> targets = new ArrayList<>();
    for (Operand each : elements) {
      add(targets, t.target(each, loose(type), true), type);
    }
    int width = Math.min(8, type.getBytes());
    Load.Shape shape = new Load.Shape(width, targets.size(), strength(at));
    Load step = new Load(where, shape, type.isSigned(), targets.toArray(new Slot[0]));
    step.use(at.usedBytes);
    t.emit(step);
  }

  /** Adds the register of an element: two of 64 bits for 128. */
  private static void add(List<? super Slot> registers, @Nullable Slot element, Type type) {
    registers.add(element);
    if (type == Type.B128) {
      registers.add(element == null ? null : FunctionTranslator.upper(element));
    }
  }

  /** Returns the type of bits: loads and stores do not look at the kind of registers. */
  private static Type loose(Type type) {
    return type.bits < 8 ? type : Type.valueOf("B" + type.bits);
  }

  void store(Instruction at) {
    Type type = at.getType();
    fence(at);
    Where where = where(at.operands.get(0), space(at));
    List<Operand> elements = elements(at.operands.get(1));
    int count = count(at);
    if (elements.size() != count) {
      t.mismatch();
      return;
    }
    List<Slot> sources = new ArrayList<>();
    for (Operand each : elements) {
      Type wanted = each instanceof Operand.Literal ? type : loose(type);
      add(sources, t.source(each, wanted, true), type);
    }
    int width = Math.min(8, type.getBytes());
    Store.Shape shape = new Store.Shape(width, sources.size(), strength(at));
    t.emit(new Store(where, shape, sources.toArray(new Slot[0])));
  }

  /** A release publishes what precedes, like a fence. */
  private void fence(Instruction at) {
    if (at.has("release") || at.has("acq_rel")) {
      t.emit(Effects.fence(!at.has("cta")));
    }
  }

  void atomic(Instruction at, boolean returns) {
    Type type = at.getType();
    if (at.has("async")) {
      t.program.refuse(at.name, at.place);
      return;
    }
    fence(at);
    int index = returns ? 1 : 0;
    Where where = where(at.operands.get(index), space(at));
    boolean cas = at.has("cas");
    Op op = operation(at, type);
    if (op == null && !cas) {
      t.mismatch();
      return;
    }
    if (cas) {
      t.program.noteCompareAndSwap();
    }
    Slot[] first = sources(at, index + 1, type);
    Slot[] second = cas ? sources(at, index + 2, type) : first;
    @Nullable Slot[] targets = new Slot[first.length];
    if (returns) {
      List<@Nullable Slot> slots = new ArrayList<>();
      for (Operand each : elements(at.operands.get(0))) {
        add(slots, t.target(each, type, false), type);
      }
      targets = slots.toArray(new Slot[0]);
    }
    boolean alike = second.length == first.length && targets.length == first.length;
    int words = type == Type.B128 ? 2 : 1;
    if (!alike || first.length != count(at) * words || (count(at) > 1 && !type.isFloat())) {
      t.mismatch();
      return;
    }
    int width = Math.min(8, type.getBytes());
    Atomic.Shape shape = new Atomic.Shape(width, first.length, Strength.ATOMIC);
    t.emit(new Atomic(where, shape, op, targets, first, second));
  }

  private Slot[] sources(Instruction at, int index, Type type) {
    List<Slot> slots = new ArrayList<>();
    for (Operand each : elements(at.operands.get(index))) {
      add(slots, t.source(each, type), type);
    }
    return slots.toArray(new Slot[0]);
  }

  /** Returns how an update changes an element; null for a swap that depends on all. */
  private static @Nullable Op operation(Instruction at, Type type) {
    String operator =
        at.firstOf("add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor");
    return switch (operator) {
      case "add" -> addition(at, type);
      case "inc" -> (old, a, b) -> Long.compareUnsigned(old, a) >= 0 ? 0 : old + 1;
      case "dec" -> (old, a, b) -> old == 0 || Long.compareUnsigned(old, a) > 0 ? a : old - 1;
      case "exch" -> (old, a, b) -> a;
      case "cas" -> null;
      default -> Integers.reduction(operator, type);
    };
  }

  private static Op addition(Instruction at, Type type) {
    return switch (type) {
      case F32 -> {
        Op add = (a, b, c) -> Floats.bits(Floats.single(a) + Floats.single(b));
        yield Floats.modified(add, Format.F32, space(at) != Space.SHARED, false);
      }
      case F64 ->
          (a, b, c) ->
              Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b));
      case F16, BF16 -> half(Comparisons.format(type));
      case F16X2, BF16X2 -> Halves.packed(half(Comparisons.format(type)));
      default -> (a, b, c) -> a + b;
    };
  }

  private static Op half(Format f) {
    return (a, b, c) -> f.encode(f.decode(a) + f.decode(b), Rounding.NEAREST);
  }

  /** Copies at once what a GPU copies asynchronously. */
  void copy(Instruction at) {
    if (!at.has("async") || at.has("tensor") || at.has("reduce")) {
      t.program.refuse(at.name, at.place);
      return;
    }
    if (at.has("mbarrier")) {
      t.emit(Effects.ordering(WarpOrder::releaseCopies));
      // Without noinc, the arrival is not one of those expected.
      Op arrive =
          at.has("noinc") ? (state, n, x) -> Mbarrier.arrive(state, n) : (state, n, x) -> state;
      update(at, 0, arrive, null, t.constant(1, 64));
      return;
    }
    if (at.has("commit_group") || at.has("wait_group") || at.has("wait_all")) {
      wait(at);
      return;
    }
    if (at.has("bulk")) {
      bulk(at);
      return;
    }
    Where target = where(at.operands.get(0), Space.SHARED);
    Where source = where(at.operands.get(1), Space.GLOBAL);
    if (!(at.operands.get(2) instanceof Operand.Literal size)) {
      t.mismatch();
      return;
    }
    int bytes = (int) size.bits();
    if (bytes != 4 && bytes != 8 && bytes != 16) {
      t.mismatch();
      return;
    }
    Operand third = at.operands.size() > 3 ? at.operands.get(3) : null;
    boolean hint = at.has("L2::cache_hint") && at.operands.size() == 4;
    Slot read = third == null || hint ? null : t.source(third, Type.U32);
    t.emit(new Copy(target, source, bytes, read, null));
  }

  /**
   * Ends a group of copies, or waits for groups; those of bulk copies to global memory are done.
   */
  private void wait(Instruction at) {
    Operand left = at.has("wait_group") ? at.operands.get(0) : null;
    if (at.has("bulk")) {
      t.emit(Effects.none());
    } else if (at.has("commit_group")) {
      t.emit(Effects.ordering(WarpOrder::commitCopies));
    } else if (left == null) {
      t.emit(
          Effects.ordering(
              (order, lanes) -> {
                order.commitCopies(lanes);
                order.awaitCopies(lanes, 0);
              }));
    } else if (left instanceof Operand.Literal number) {
      t.emit(Effects.ordering((order, lanes) -> order.awaitCopies(lanes, number.bits())));
    } else {
      t.mismatch();
    }
  }

  /** Copies many bytes between global and shared memory, and tells an mbarrier object so. */
  private void bulk(Instruction at) {
    boolean toShared =
        at.modifiers.get(2).startsWith("shared") && at.modifiers.get(3).equals("global");
    boolean toGlobal =
        at.modifiers.get(2).equals("global") && at.modifiers.get(3).equals("shared::cta");
    if (at.has("prefetch")) {
      t.emit(Effects.none());
    } else if (!(toShared || toGlobal) || at.has("multicast::cluster") || at.has("cp_mask")) {
      t.program.refuse(at.name, at.place);
    } else {
      Where target = where(at.operands.get(0), toShared ? Space.SHARED : Space.GLOBAL);
      Where source = where(at.operands.get(1), toShared ? Space.GLOBAL : Space.SHARED);
      Slot bytes = t.source(at.operands.get(2), Type.U32);
      t.emit(new Copy(target, source, BULK, null, bytes));
      if (toShared) {
        t.emit(Effects.fence(false));
        update(
            where(at.operands.get(3), Space.SHARED),
            (state, n, x) -> Mbarrier.expect(state, -n),
            null,
            bytes);
      }
    }
  }

  /** Translates what is done to the mbarrier objects that threads of a block wait for. */
  void mbarrier(Instruction at) {
    String kind = at.modifiers.get(0);
    List<Operand> operands = at.operands;
    if (at.getType() != Type.B64 || at.has("global")) {
      t.mismatch();
      return;
    }
    switch (kind) {
      case "init", "inval" -> {
        Slot state = t.constant(0, 64);
        if (kind.equals("init")) {
          Slot count = t.source(operands.get(1), Type.U32);
          state = t.temporary(Type.B64);
          t.emit(new Compute((n, x, y) -> Mbarrier.of(n), null, state, count));
        }
        Where where = where(operands.get(0), space(at));
        t.emit(new Store(where, new Store.Shape(8, 1, Strength.WEAK), new Slot[] {state}));
      }
      case "expect_tx" -> update(at, 0, (state, n, x) -> Mbarrier.expect(state, n), null, null);
      case "complete_tx" -> update(at, 0, (state, n, x) -> Mbarrier.expect(state, -n), null, null);
      case "arrive", "arrive_drop" -> {
        boolean expects = at.has("expect_tx");
        boolean drops = kind.equals("arrive_drop");
        Slot one = operands.size() > 2 ? null : t.constant(1, 64);
        Slot wanted = t.target(operands.get(0), Type.B64, false);
        Slot before = wanted == null ? t.temporary(Type.B64) : wanted;
        Op op =
            (state, n, x) ->
                expects
                    ? Mbarrier.arrive(
                        Mbarrier.expect(drops ? Mbarrier.drop(state, 1) : state, n), 1)
                    : Mbarrier.arrive(drops ? Mbarrier.drop(state, n) : state, n);
        update(at, 1, op, before, one);
        Slot pending = t.temporary(Type.B64);
        t.emit(new Compute((value, x, y) -> Mbarrier.pending(value), null, pending, before));
        boolean counts = operands.size() > 2 && !expects;
        Slot come = counts ? t.source(operands.get(2), Type.U32) : t.constant(1, 64);
        t.emit(new Arrivals(pending, come));
      }
      case "test_wait", "try_wait" -> {
        Slot state = t.temporary(Type.B64);
        Where where = where(operands.get(1), space(at));
        Load.Shape shape = new Load.Shape(8, 1, Strength.ATOMIC);
        t.emit(new Load(where, shape, false, new Slot[] {state}));
        boolean parity = at.has("parity");
        Slot phase = t.source(operands.get(2), parity ? Type.U32 : Type.B64);
        Op ended =
            (now, then, x) -> Mbarrier.phase(now) ^ (parity ? then & 1 : Mbarrier.phase(then));
        Slot target = t.required(operands.get(0), Type.PRED, false);
        t.emit(new Compute(ended, null, target, state, phase));
      }
      case "pending_count" -> {
        Slot state = t.source(operands.get(1), Type.B64);
        Slot target = t.required(operands.get(0), Type.B32, false);
        t.emit(new Compute((value, x, y) -> Mbarrier.pending(value), null, target, state));
      }
      default -> t.program.refuse(at.name, at.place);
    }
  }

  /** Changes an mbarrier object; the operand behind its address is the number, if none is given. */
  private void update(
      Instruction at, int address, Op op, @Nullable Slot target, @Nullable Slot number) {
    if (!at.has("relaxed")) {
      t.emit(Effects.fence(at.has("cluster")));
    }
    Slot n = number == null ? t.source(at.operands.get(address + 1), Type.U32) : number;
    update(where(at.operands.get(address), space(at)), op, target, n);
  }

  private void update(Where where, Op op, @Nullable Slot target, Slot number) {
    Atomic.Shape shape = new Atomic.Shape(8, 1, Strength.ATOMIC);
    Slot[] operands = {number};
    Atomic step = new Atomic(where, shape, op, new @Nullable Slot[] {target}, operands, operands);
    step.releaseOnly();
    t.emit(step);
  }

  void stack(Instruction at) {
    Type type = at.getType().bits == 64 ? Type.B64 : Type.B32;
    switch (at.opcode) {
      case "alloca" -> {
        Slot size = t.source(at.operands.get(1), type);
        Slot target = t.required(at.operands.get(0), type, false);
        t.emit(new Effects((warp, frame, mask) -> allocate(warp, frame, mask, target, size)));
      }
      case "stacksave" -> {
        Slot target = t.required(at.operands.get(0), type, false);
        t.emit(new Special(target, (warp, frame, lane) -> frame.localTop));
      }
      default -> {
        t.source(at.operands.get(0), type);
        t.emit(Effects.none());
      }
    }
  }

  /** Allocates as many bytes as the lane with the largest request wants; the frame frees them. */
  private static void allocate(Warp warp, Frame frame, int mask, Slot target, Slot size) {
    long most = 0;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      most = Math.max(most, size.get(frame, Integer.numberOfTrailingZeros(lanes)));
    }
    int base = (frame.localTop + STACK_ALIGNMENT - 1) & -STACK_ALIGNMENT;
    int top = (int) Math.min(Integer.MAX_VALUE / 2, base + Math.min(most, 1 << 29));
    warp.reserve(top);
    frame.localTop = top;
    for (int lanes = mask; lanes != 0; lanes &= lanes - 1) {
      target.set(frame, Integer.numberOfTrailingZeros(lanes), base);
    }
  }
}
