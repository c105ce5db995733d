package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Op;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Warp;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.step.Compare;
import org.vramkit.ptx.step.Compute;
import org.vramkit.ptx.step.Control;
import org.vramkit.ptx.step.Effects;
import org.vramkit.ptx.step.Predicates;
import org.vramkit.ptx.step.Special;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Type;

/** Translates instructions: arithmetic here, memory, calls and functions of the warp elsewhere. */
final class Instructions {
  private final FunctionTranslator t;
  private final Contraction contraction;

  /** The factors of products that are added without rounding. */
  private final Map<Instruction, List<Slot>> factors = new HashMap<>();

  private final MemoryInstructions memory;
  private final CallInstructions calls;
  private final WarpInstructions warps;

  Instructions(FunctionTranslator translator, Contraction contraction) {
    this.t = translator;
    this.contraction = contraction;
    this.memory = new MemoryInstructions(translator);
    this.calls = new CallInstructions(translator);
    this.warps = new WarpInstructions(translator);
  }

  void translate(Instruction at) {
    Requirement.check(at, t.program.tree.target(), t.program.problems);
    try {
      dispatch(at);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      // The instruction has fewer operands or types than its kind needs, or parts of odd sizes.
      t.mismatch();
    }
  }

  private Operand operand(Instruction at, int index) {
    return at.operands.get(index);
  }

  private void dispatch(Instruction at) {
    switch (at.opcode) {
      case "bra" -> branch(at);
      case "brx" -> table(at);
      case "call" -> calls.translate(at);
      case "ret" -> back();
      case "exit" -> t.emit(new Control.Exit());
      case "trap" -> t.emit(new Control.Trap("trap"));
      case "brkpt" -> t.emit(new Control.Trap("breakpoint"));
      case "ld", "ldu" -> memory.load(at);
      case "st" -> memory.store(at);
      case "atom" -> memory.atomic(at, true);
      case "red" -> memory.atomic(at, false);
      case "cp" -> memory.copy(at);
      case "mbarrier" -> memory.mbarrier(at);
      case "alloca", "stacksave", "stackrestore" -> memory.stack(at);
      case "bar", "barrier" -> warps.barrier(at);
      case "shfl" -> warps.shuffle(at);
      case "vote" -> warps.vote(at);
      case "match" -> warps.match(at);
      case "redux" -> warps.reduce(at);
      case "elect" -> warps.elect(at);
      case "activemask" -> warps.activeMask(at);
      case "setp" -> compare(at, Type.PRED);
      case "set" -> compare(at, at.types.get(0));
      case "selp" -> select(at);
      case "testp" -> test(at);
      case "mov" -> move(at);
      case "cvta" -> convertAddress(at);
      case "isspacep" -> inSpace(at);
      case "bfi" -> insert(at);
      case "lop3" -> logic(at);
      case "membar", "fence" ->
          t.emit(at.has("proxy") ? Effects.none() : Effects.fence(!at.has("cta")));
      case "nanosleep" -> {
        t.source(operand(at, 0), Type.U32);
        t.emit(new Effects((warp, frame, mask) -> warp.pause()));
      }
      case "prefetch",
          "prefetchu",
          "pmevent",
          "griddepcontrol",
          "setmaxnreg",
          "discard",
          "applypriority",
          "nop" ->
          t.emit(Effects.none());
      case "createpolicy" -> {
        Slot target = t.required(operand(at, 0), Type.B64, false);
        t.emit(new Compute((a, b, c) -> 0, null, target));
      }
      default -> {
        Contraction.Sum sum = contraction.sumOf(at);
        if (sum != null) {
          multiplyAdd(at, sum);
        } else if (contraction.isDropped(at)) {
          factors.put(at, List.of(factor(at, 1), factor(at, 2)));
          t.required(operand(at, 0), at.getType(), false);
        } else {
          arithmetic(at);
        }
      }
    }
  }

  /** Returns a register that holds a factor until the product is added. */
  private Slot factor(Instruction product, int index) {
    Slot slot = t.source(operand(product, index), product.getType());
    if (!contraction.mayChange(product, operand(product, index))) {
      return slot;
    }
    Slot kept = t.temporary(product.getType());
    t.emit(new Compute((x, y, z) -> x, "mov", kept, slot));
    return kept;
  }

  private void multiplyAdd(Instruction at, Contraction.Sum sum) {
    Type type = at.getType();
    String modifiers = (at.has("ftz") ? ".ftz" : "") + (at.has("sat") ? ".sat" : "");
    String name = "fma.rn" + modifiers + "." + type.getText();
    Instruction fma = new Instruction(null, false, name, List.of(), at.place, -1);
    Op op = Objects.requireNonNull(find(fma, type), name);
    long sign = type.isPacked() ? 0x80008000L : 1L << (type.bits - 1);
    long product = sum.minusProduct() ? sign : 0;
    long addend = sum.minusAddend() ? sign : 0;
    List<Slot> both = Objects.requireNonNull(factors.get(sum.product()), name);
    Slot c = t.source(sum.addend(), type);
    Op signed = (x, y, z) -> op.apply(x ^ product, y, z ^ addend);
    Slot target = t.required(operand(at, 0), type, false);
    t.emit(new Compute(signed, name + product + "," + addend, target, both.get(0), both.get(1), c));
  }

  /** Instructions that may be of several kinds, by their modifiers. */
  private void arithmetic(Instruction at) {
    boolean carries =
        switch (at.opcode) {
          case "addc", "subc", "madc" -> true;
          case "add", "sub", "mad" -> at.has("cc");
          default -> false;
        };
    boolean logic =
        switch (at.opcode) {
          case "not", "and", "or", "xor" -> at.types.contains(Type.PRED);
          default -> false;
        };
    if (carries) {
      extended(at);
    } else if (logic) {
      predicates(at);
    } else if (Video.OPCODES.contains(at.opcode)) {
      video(at);
    } else {
      compute(at);
    }
  }

  private void back() {
    Control.Return step = new Control.Return();
    step.kernel = t.function.entry;
    t.emit(step);
    t.later(() -> step.end = t.position() - 1);
  }

  private void branch(Instruction at) {
    if (!(operand(at, 0) instanceof Operand.Name name)) {
      t.mismatch();
      return;
    }
    if (t.function.entry && t.isReturn(name.name())) {
      back();
      return;
    }
    Control.Branch step = new Control.Branch();
    t.emit(step);
    t.later(() -> step.target = Math.max(0, t.label(name.name(), at.line)));
  }

  private void table(Instruction at) {
    Slot index = t.source(operand(at, 0), Type.U32);
    String name = operand(at, 1) instanceof Operand.Name list ? list.name() : "";
    List<String> labels = t.function.targets.get(name);
    if (labels == null) {
      t.unknown(name);
      return;
    }
    Control.Table step = new Control.Table(index);
    t.emit(step);
    t.later(
        () ->
            step.targets =
                labels.stream().mapToInt(l -> Math.max(0, t.label(l, at.line))).toArray());
  }

  private void predicates(Instruction at) {
    Predicates.Logic logic = logic(at.opcode);
    Predicates.Source a = t.predicate(operand(at, 1));
    Predicates.Source b = logic == null ? null : t.predicate(operand(at, 2));
    Slot target = t.required(operand(at, 0), Type.PRED, false);
    t.emit(new Predicates(logic == null ? (x, y) -> ~x : logic, target, a, b));
  }

  private void test(Instruction at) {
    Type type = at.getType();
    Op test = Floats.test(Comparisons.format(type), at.modifiers.get(0));
    Slot a = t.source(operand(at, 1), type);
    t.emit(new Compute(test, null, t.required(operand(at, 0), Type.PRED, false), a));
  }

  private static Predicates.@Nullable Logic logic(String operator) {
    return switch (operator) {
      case "and" -> (x, y) -> x & y;
      case "or" -> (x, y) -> x | y;
      case "xor" -> (x, y) -> x ^ y;
      default -> null;
    };
  }

  /** Compares for predicates, or for a register that gets what stands for true or false. */
  private void compare(Instruction at, Type to) {
    Type type = at.getType();
    Op test = Comparisons.find(at);
    if (test == null) {
      t.mismatch();
      return;
    }
    Operand first = operand(at, 0);
    Operand second = new Operand.Sink();
    if (to == Type.PRED && first instanceof Operand.Pair pair) {
      first = pair.first();
      second = pair.second();
    }
    long one =
        switch (to) {
          case F32 -> 0x3f800000L;
          case F16, F16X2 -> 0x3c00L;
          case BF16, BF16X2 -> 0x3f80L;
          default -> type.isPacked() ? 0xffffL : 0xffffffffL;
        };
    Compare.Targets targets =
        new Compare.Targets(
            t.target(first, to, false), t.target(second, to, false), type.isPacked(), one);
    Slot a = t.source(operand(at, 1), type);
    Slot b = t.source(operand(at, 2), type);
    Predicates.Logic logic = at.modifiers.size() > 1 ? logic(at.modifiers.get(1)) : null;
    Predicates.Source with = logic == null ? null : t.predicate(operand(at, 3));
    t.emit(new Compare(new Compare.Test(test, at.name, a, b), logic, with, targets));
  }

  private void select(Instruction at) {
    Type type = at.getType();
    Predicates.Source source = t.predicate(operand(at, 3));
    if (source == null) {
      return;
    }
    Slot a = t.source(operand(at, 1), type);
    Slot b = t.source(operand(at, 2), type);
    Slot target = t.required(operand(at, 0), type, false);
    Op op = source.negated() ? (x, y, p) -> p != 0 ? y : x : (x, y, p) -> p != 0 ? x : y;
    t.emit(new Compute(op, at.name + source.negated(), target, a, b, source.slot()));
  }

  private void insert(Instruction at) {
    Type type = at.getType();
    Slot a = t.source(operand(at, 1), type);
    Slot b = t.source(operand(at, 2), type);
    Slot position = t.source(operand(at, 3), Type.U32);
    Slot length = t.source(operand(at, 4), Type.U32);
    // The position and length are packed into one operand.
    Slot both = t.temporary(Type.B64);
    t.emit(new Compute((x, y, z) -> x | y << 32, null, both, position, length));
    int bits = type.bits;
    Op op = (x, y, z) -> Integers.bfi(x, y, z, z >>> 32, bits);
    t.emit(new Compute(op, null, t.required(operand(at, 0), type, false), a, b, both));
  }

  private void logic(Instruction at) {
    String operator = at.firstOf("and", "or");
    if (!(operand(at, 4) instanceof Operand.Literal table)) {
      t.mismatch();
      return;
    }
    Operand first = operand(at, 0);
    Operand predicate = null;
    if (first instanceof Operand.Pair pair) {
      predicate = pair.second();
      first = pair.first();
    }
    Slot a = t.source(operand(at, 1), Type.B32);
    Slot b = t.source(operand(at, 2), Type.B32);
    Slot c = t.source(operand(at, 3), Type.B32);
    Slot target = t.required(first, Type.B32, false);
    int lut = (int) table.bits() & 0xff;
    t.emit(new Compute(Integers.lop3(lut), at.name + lut, target, a, b, c));
    if (predicate != null) {
      Predicates.Source q = t.predicate(operand(at, 5));
      Slot p = t.required(predicate, Type.PRED, false);
      Slot nonZero = t.temporary(Type.PRED);
      t.emit(new Compute((x, y, z) -> x != 0 ? 1 : 0, null, nonZero, target));
      boolean and = operator.equals("and");
      Predicates.Source source = new Predicates.Source(nonZero, false);
      t.emit(new Predicates((x, y) -> and ? x & y : x | y, p, source, q));
    }
  }

  /** Addition, subtraction and multiplication with a carry. */
  private void extended(Instruction at) {
    Type type = at.getType();
    boolean product = at.opcode.startsWith("mad");
    boolean high = at.has("hi");
    boolean subtracts = at.opcode.startsWith("sub");
    boolean takesCarry = at.opcode.endsWith("c");
    boolean setsCarry = at.has("cc");
    long kept = Integers.mask(type.bits);
    Slot a = t.source(operand(at, 1), type);
    Slot b = t.source(operand(at, 2), type);
    Slot target = t.required(operand(at, 0), type, false);
    Slot c = product ? t.source(operand(at, 3), type) : b;
    Op half = product ? (x, y, z) -> high ? Integers.high(x, y, type) : x * y : (x, y, z) -> x;
    t.emit(
        new Special(
            target,
            (warp, frame, lane) -> {
              long x = half.apply(a.get(frame, lane), b.get(frame, lane), 0) & kept;
              // A subtraction adds the complement and one: no borrow is a carry.
              long y = (subtracts ? ~c.get(frame, lane) : c.get(frame, lane)) & kept;
              long in = takesCarry ? (frame.carry >>> lane) & 1 : subtracts ? 1 : 0;
              long sum = (x + y + in) & kept;
              boolean over = Long.compareUnsigned(sum, x) < 0 || (in == 1 && sum == x);
              if (setsCarry) {
                frame.carry = (frame.carry & ~(1 << lane)) | ((over ? 1 : 0) << lane);
              }
              return sum;
            }));
  }

  private void move(Instruction at) {
    Type type = at.getType();
    Operand to = operand(at, 0);
    Operand from = operand(at, 1);
    if (at.types.contains(Type.PRED)) {
      Predicates.Source a = t.predicate(from);
      t.emit(new Predicates((x, y) -> x, t.required(to, Type.PRED, false), a, null));
    } else if (from instanceof Operand.Vector vector) {
      pack(to, vector.elements(), type);
    } else if (to instanceof Operand.Vector vector) {
      unpack(vector.elements(), from, type);
    } else if (type == Type.B128) {
      Slot a = t.source(from, type);
      Slot d = t.required(to, type, false);
      t.emit(new Compute((x, y, z) -> x, null, d, a));
      Slot upper = FunctionTranslator.upper(a);
      t.emit(new Compute((x, y, z) -> x, null, FunctionTranslator.upper(d), upper));
    } else if (from instanceof Operand.Special special) {
      t.special(special.name(), type, t.required(to, type, false));
    } else {
      Slot a = t.source(from, type);
      t.emit(new Compute((x, y, z) -> x, "mov", t.required(to, type, false), a));
    }
  }

  private void pack(Operand to, List<Operand> parts, Type type) {
    int bits = type.bits / parts.size();
    Type part = Type.valueOf("B" + bits);
    Slot target = t.required(to, type, false);
    if (type == Type.B128) {
      Slot low = t.source(parts.get(0), part);
      Slot high = t.source(parts.get(1), part);
      t.emit(new Compute((x, y, z) -> x, null, target, low));
      t.emit(new Compute((x, y, z) -> x, null, FunctionTranslator.upper(target), high));
      return;
    }
    List<Slot> sources = new ArrayList<>();
    parts.forEach(each -> sources.add(t.source(each, part)));
    Slot sum = sources.get(0);
    for (int i = 1; i < sources.size(); i++) {
      int shift = bits * i;
      Slot next = i == sources.size() - 1 ? target : t.temporary(type);
      t.emit(new Compute((x, y, z) -> x | y << shift, null, next, sum, sources.get(i)));
      sum = next;
    }
  }

  private void unpack(List<Operand> parts, Operand from, Type type) {
    int bits = type.bits / parts.size();
    Type part = Type.valueOf("B" + bits);
    Slot source = t.source(from, type);
    if (type == Type.B128) {
      Slot low = t.target(parts.get(0), part, false);
      Slot high = t.target(parts.get(1), part, false);
      if (low != null) {
        t.emit(new Compute((x, y, z) -> x, null, low, source));
      }
      if (high != null) {
        t.emit(new Compute((x, y, z) -> x, null, high, FunctionTranslator.upper(source)));
      }
      return;
    }
    for (int i = 0; i < parts.size(); i++) {
      int shift = bits * i;
      Slot target = t.target(parts.get(i), part, false);
      if (target != null) {
        t.emit(new Compute((x, y, z) -> x >>> shift, null, target, source));
      }
    }
  }

  private static long window(String space) {
    return space.startsWith("shared") ? Windows.SHARED : space.equals("local") ? Windows.LOCAL : 0;
  }

  private void convertAddress(Instruction at) {
    Type type = at.getType();
    boolean to = at.has("to");
    String space = at.modifiers.get(to ? 1 : 0);
    long window = window(space);
    Slot a = t.source(operand(at, 1), type);
    Slot target = t.required(operand(at, 0), type, false);
    Op op =
        window == 0
            ? (x, y, z) -> x
            : to ? (x, y, z) -> x & 0xffffffffL : (x, y, z) -> (x & 0xffffffffL) | window;
    t.emit(new Compute(op, at.name, target, a));
  }

  private void inSpace(Instruction at) {
    String space = at.modifiers.get(0);
    Operand from = operand(at, 1);
    Slot a = t.source(from, from instanceof Operand.Reg reg ? reg.register().type : Type.U64);
    Slot target = t.required(operand(at, 0), Type.PRED, false);
    t.emit(
        new Special(
            target, (warp, frame, lane) -> isInside(warp, a.get(frame, lane), space) ? 1 : 0));
  }

  private static boolean isInside(Warp warp, long where, String space) {
    boolean constant = warp.grid().layout.constants().find(where, 1) >= 0;
    return switch (space) {
      case "global" -> Windows.contains(0, where) && !constant;
      case "const" -> constant;
      case "param", "param::entry" -> Windows.contains(Windows.PARAM, where);
      case "local" -> Windows.contains(Windows.LOCAL, where);
      default -> Windows.contains(Windows.SHARED, where);
    };
  }

  private void video(Instruction at) {
    Op op = Video.of(at);
    List<Slot> sources = new ArrayList<>();
    for (int i = 1; i < at.operands.size(); i++) {
      Operand each = operand(at, i);
      Operand plain = each instanceof Operand.Reg reg ? new Operand.Reg(reg.register(), "") : each;
      sources.add(t.source(plain, Type.B32));
    }
    Slot[] slots = sources.toArray(new Slot[0]);
    Operand to = operand(at, 0);
    Operand plain = to instanceof Operand.Reg reg ? new Operand.Reg(reg.register(), "") : to;
    t.emit(new Compute(op, null, t.required(plain, Type.B32, false), slots));
  }

  /** Instructions of one result and up to three operands. */
  private void compute(Instruction at) {
    Type type = at.getType();
    if (at.opcode.equals("cvt") && !Conversions.hasKnownTypes(at)) {
      t.program.problems.add(at.line, "Unexpected instruction types specified for 'cvt'");
      return;
    }
    Op op = find(at, type);
    if (op == null) {
      if (!Requirement.NOT_SIMULATED.contains(at.opcode)) {
        t.noInstruction(at);
        return;
      }
      t.program.refuse(at.name, at.place);
      return;
    }
    Type result = result(at, type);
    boolean converts = at.opcode.equals("cvt") && !at.has("pack");
    int count = at.operands.size() - 1;
    Slot[] sources = new Slot[Math.max(0, Math.min(count, 3))];
    for (int i = 0; i < sources.length; i++) {
      Type wanted = operandType(at, type, i);
      sources[i] = t.source(operand(at, i + 1), wanted, converts);
    }
    if (count < 1 || count > 3) {
      t.mismatch();
      return;
    }
    Slot target = t.required(operand(at, 0), result, converts);
    t.emit(new Compute(op, at.name + count, target, sources));
  }

  private static @Nullable Op find(Instruction at, Type type) {
    if (at.opcode.equals("cvt")) {
      return Conversions.find(at);
    }
    if (at.opcode.equals("slct")) {
      return Integers.find(at);
    }
    if (Halves.handles(type)) {
      return Halves.find(at);
    }
    return type == Type.F32 || type == Type.F64 ? Floats.find(at) : Integers.find(at);
  }

  private static Type result(Instruction at, Type type) {
    if (at.has("wide")) {
      return type.bits == 16 ? Type.B32 : Type.B64;
    }
    return switch (at.opcode) {
      case "popc", "clz", "bfind", "dp4a", "dp2a", "fns", "bmsk", "prmt", "szext" -> Type.B32;
      case "slct" -> at.types.get(0);
      case "cvt" ->
          at.types.get(0) == Type.TF32
              ? Type.B32
              : at.types.get(0) == Type.E4M3X2 || at.types.get(0) == Type.E5M2X2
                  ? Type.B16
                  : at.has("pack") ? Type.B32 : at.types.get(0);
      default -> type;
    };
  }

  private static Type operandType(Instruction at, Type type, int index) {
    return switch (at.opcode) {
      case "shl", "shr", "szext" -> index == 1 ? Type.U32 : type;
      case "bfe" -> index == 0 ? type : Type.U32;
      case "mad" -> at.has("wide") && index == 2 ? result(at, type) : type;
      case "slct" -> index == 2 ? type : at.types.get(0);
      case "fns", "prmt", "dp4a", "dp2a", "shf" -> Type.B32;
      case "cvt" ->
          at.has("pack") ? Type.B32 : type == Type.E4M3X2 || type == Type.E5M2X2 ? Type.B16 : type;
      default -> type;
    };
  }
}
