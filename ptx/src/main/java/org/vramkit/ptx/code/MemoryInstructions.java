package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.check.RaceChecker.Strength;
import org.vramkit.ptx.number.Format;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.step.Atomic;
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
    t.emit(new Load(where, shape, type.isSigned(), targets.toArray(new Slot[0])));
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
    if (type == Type.B128 || count(at) > 1 || at.has("async")) {
      t.program.refuse(at.name, at.place);
      return;
    }
    fence(at);
    int first = returns ? 1 : 0;
    Where where = where(at.operands.get(first), space(at));
    Op op = operation(at, type);
    if (op == null) {
      t.mismatch();
      return;
    }
    boolean cas = at.has("cas");
    if (cas) {
      t.program.noteCompareAndSwap();
    }
    Slot a = t.source(at.operands.get(first + 1), type);
    Slot b = cas ? t.source(at.operands.get(first + 2), type) : a;
    Slot target = returns ? t.target(at.operands.get(0), type, false) : null;
    Atomic.Shape shape = new Atomic.Shape(type.getBytes(), 1, Strength.ATOMIC);
    t.emit(new Atomic(where, shape, op, target, a, b));
  }

  private static @Nullable Op operation(Instruction at, Type type) {
    String operator =
        at.firstOf("add", "min", "max", "inc", "dec", "exch", "cas", "and", "or", "xor");
    return switch (operator) {
      case "add" -> addition(at, type);
      case "inc" -> (old, a, b) -> Long.compareUnsigned(old, a) >= 0 ? 0 : old + 1;
      case "dec" -> (old, a, b) -> old == 0 || Long.compareUnsigned(old, a) > 0 ? a : old - 1;
      case "exch" -> (old, a, b) -> a;
      case "cas" -> (old, a, b) -> old == a ? b : old;
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
    if (!at.has("async") || at.has("bulk") || at.has("mbarrier") || at.has("reduce")) {
      t.program.refuse(at.name, at.place);
      return;
    }
    if (at.has("commit_group") || at.has("wait_group") || at.has("wait_all")) {
      t.emit(Effects.none());
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
    t.emit(new Copy(target, source, bytes, read));
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
