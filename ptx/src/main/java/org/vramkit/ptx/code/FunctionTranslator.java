package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.number.Rounding;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.run.Code;
import org.vramkit.ptx.run.Frame;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.step.Control;
import org.vramkit.ptx.step.Predicates;
import org.vramkit.ptx.step.Special;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Register;
import org.vramkit.ptx.syntax.Space;
import org.vramkit.ptx.syntax.Type;
import org.vramkit.ptx.syntax.Variable;

/**
 * Translates a function. This class gives registers, constants and variables their places, and
 * resolves labels; {@link Instructions} translates the instructions.
 */
final class FunctionTranslator {
  final Program program;
  final Function function;
  final Code code;
  private final Map<Register, Slot> slots = new HashMap<>();
  private final Map<Long, Slot> constants = new HashMap<>();
  private final Map<Variable, Integer> locals = new HashMap<>();
  private final List<Step> steps = new ArrayList<>();
  private final List<Runnable> jumps = new ArrayList<>();

  /** Position of the first step of each instruction. */
  private int[] positions = new int[0];

  private Instruction current;
  private boolean mismatch;

  FunctionTranslator(Program program, Function function, Code code) {
    this.program = program;
    this.function = function;
    this.code = code;
    CodeLine line = new CodeLine(program.problems.getFile(), function.line, null, 0);
    this.current = new Instruction(null, false, "ret", List.of(), line, -1);
  }

  void translate() {
    layout();
    // Parameters in registers come first: callers know their places.
    for (Variable each : function.results) {
      parameter(each);
    }
    function.parameters.forEach(this::parameter);
    List<Instruction> instructions = function.instructions;
    positions = new int[instructions.size() + 1];
    Instructions translation = new Instructions(this, new Contraction(function));
    for (int i = 0; i < instructions.size(); i++) {
      positions[i] = steps.size();
      current = instructions.get(i);
      mismatch = false;
      translation.translate(current);
    }
    positions[instructions.size()] = steps.size();
    Step end = new Control.End();
    end.place = current.place;
    program.add(end);
    steps.add(end);
    jumps.forEach(Runnable::run);
    code.steps = steps.toArray(new Step[0]);
    join();
  }

  /**
   * The places of the parameters and results that are not in registers; prototypes have no names.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Places(int[] results, int[] parameters, int end) {
    static Places of(Function function) {
      int[] results = new int[function.results.size()];
      int[] parameters = new int[function.parameters.size()];
      int end = place(function.results, results, 0);
      return new Places(results, parameters, place(function.parameters, parameters, end));
    }

    private static int place(List<Variable> variables, int[] offsets, int begin) {
      int end = begin;
      for (int i = 0; i < offsets.length; i++) {
        Variable each = variables.get(i);
        if (each.register == null) {
          int alignment = Math.max(each.alignment, 8);
          offsets[i] = (end + alignment - 1) / alignment * alignment;
          end = (int) Math.min(1 << 28, (offsets[i] + each.bytes + 7) & -8);
        }
      }
      return end;
    }
  }

  /** Gives local variables and parameters their places in the frame. */
  private void layout() {
    if (!function.entry) {
      Places places = Places.of(function);
      for (int i = 0; i < places.results.length; i++) {
        locals.put(function.results.get(i), places.results[i]);
      }
      for (int i = 0; i < places.parameters.length; i++) {
        locals.put(function.parameters.get(i), places.parameters[i]);
      }
      code.localBytes = places.end;
    } else {
      int offset = 0;
      for (Variable each : function.parameters) {
        offset = (offset + each.alignment - 1) / each.alignment * each.alignment;
        locals.put(each, offset);
        offset += (int) each.bytes;
      }
    }
    long declared = 0;
    for (Variable each : function.variables) {
      if (each.space == Space.LOCAL || each.space == Space.PARAM) {
        int alignment = Math.max(each.alignment, 8);
        int offset = (code.localBytes + alignment - 1) / alignment * alignment;
        locals.put(each, offset);
        code.localBytes = (int) Math.min(1 << 28, offset + each.bytes + 7 & -8);
        declared += each.space == Space.LOCAL ? each.bytes : 0;
      }
    }
    program.addLocal(declared);
  }

  /** Returns whether a variable is a parameter of the kernel, which all threads share. */
  boolean isKernelParameter(Variable variable) {
    return function.entry && function.parameters.contains(variable);
  }

  int localOffset(Variable variable) {
    return locals.getOrDefault(variable, 0);
  }

  private void parameter(Variable variable) {
    if (variable.register != null) {
      slot(variable.register);
    }
  }

  // Steps

  void emit(Step step) {
    step.place = current.place;
    if (current.guard != null) {
      step.guard = slot(current.guard).index();
      step.negated = current.negated;
    }
    program.add(step);
    steps.add(step);
  }

  int position() {
    return steps.size();
  }

  /** Runs when all instructions have their positions. */
  void later(Runnable jump) {
    jumps.add(jump);
  }

  /** Returns the position of a label; -1 after an error. */
  int label(String name, int line) {
    Integer instruction = function.labels.get(name);
    if (instruction == null) {
      program.problems.add(line, "Unknown symbol '" + name + "'");
      return -1;
    }
    return positions[instruction];
  }

  /** Returns whether a label stands before an unguarded return. */
  boolean isReturn(String label) {
    Integer at = function.labels.get(label);
    if (at == null || at >= function.instructions.size()) {
      return at != null;
    }
    Instruction target = function.instructions.get(at);
    return target.guard == null && (target.opcode.equals("ret") || target.opcode.equals("exit"));
  }

  private void join() {
    int count = steps.size();
    int[][] successors = new int[count][];
    for (int i = 0; i < count; i++) {
      successors[i] = successors(steps.get(i), i, count - 1);
    }
    int[] meets = PostDominators.of(successors, count - 1);
    for (int i = 0; i < count; i++) {
      // At its end, a kernel's lanes need not meet.
      int meet = function.entry && meets[i] == count - 1 ? -1 : meets[i];
      if (steps.get(i) instanceof Control.Branch branch) {
        branch.join = meet;
      } else if (steps.get(i) instanceof Control.Table table) {
        table.join = meet;
      }
    }
  }

  private static int[] successors(Step step, int at, int end) {
    boolean guarded = step.guard >= 0;
    if (step instanceof Control.Branch branch) {
      return guarded ? new int[] {at + 1, branch.target} : new int[] {branch.target};
    }
    if (step instanceof Control.Table table) {
      int[] targets = Arrays.copyOf(table.targets, table.targets.length + (guarded ? 1 : 0));
      if (guarded) {
        targets[targets.length - 1] = at + 1;
      }
      return targets;
    }
    if (step instanceof Control.Return back) {
      return guarded ? back.kernel ? new int[] {at + 1} : new int[] {at + 1, end} : new int[] {end};
    }
    boolean ends = step instanceof Control.Exit || step instanceof Control.Trap;
    if ((ends && !guarded) || at == end) {
      return new int[0];
    }
    return new int[] {at + 1};
  }

  // Registers and constants

  Slot slot(Register register) {
    return slots.computeIfAbsent(register, each -> newSlot(each.type));
  }

  Slot temporary(Type type) {
    return newSlot(type);
  }

  private Slot newSlot(Type type) {
    if (type.bits == 1) {
      return new Slot(true, code.predicateCount++, 1);
    }
    Slot slot = register(null, type.bits);
    if (type.bits == 128) {
      register(null, 64);
    }
    return slot;
  }

  private Slot register(long @Nullable [] constant, int bits) {
    code.constants.add(constant);
    return new Slot(false, code.constants.size() - 1, Integers.mask(bits));
  }

  /** Returns the upper half of a register of 128 bits. */
  static Slot upper(Slot low) {
    return new Slot(false, low.index() + 1, -1);
  }

  /** Returns a register that holds a number, zero-extended. */
  Slot constant(long value, int bits) {
    if (bits == 128) {
      Slot low = filled(value);
      filled(0);
      return low;
    }
    return constants.computeIfAbsent(value & Integers.mask(bits), this::filled);
  }

  private Slot filled(long value) {
    long[] lanes = new long[Frame.LANES];
    Arrays.fill(lanes, value);
    return register(lanes, 64);
  }

  /** Returns a register that holds the address of dynamic shared memory, plus a number. */
  private Slot dynamicAddress(long offset, int bits) {
    long[] lanes = new long[Frame.LANES];
    program.onLayout(base -> Arrays.fill(lanes, base + offset & Integers.mask(bits)));
    return register(lanes, bits);
  }

  // Operands

  /** Notes that an operand does not fit its instruction. */
  void mismatch() {
    if (!mismatch) {
      mismatch = true;
      String name = current.opcode;
      program.problems.add(current.line, "Arguments mismatch for instruction '" + name + "'");
    }
  }

  void unknown(String name) {
    mismatch();
    program.problems.add(current.line, "Unknown symbol '" + name + "'");
  }

  /** Notes that there is no such instruction, and which of its operands are unknown. */
  void noInstruction(Instruction at) {
    // Its operands need to fit nothing.
    mismatch = true;
    program.problems.add(at.line, "Not a name of any known instruction: '" + at.opcode + "'");
    at.operands.stream()
        .filter(each -> !(each instanceof Operand.Reg))
        .forEach(this::unknownOrMismatch);
  }

  /** Returns the register that an operand is to be written to; null if it is ignored. */
  @Nullable Slot target(Operand operand, Type type, boolean wider) {
    if (operand instanceof Operand.Sink) {
      return null;
    }
    if (operand instanceof Operand.Reg reg && reg.selector().isEmpty()) {
      check(reg.register(), type, wider);
      return slot(reg.register());
    }
    unknownOrMismatch(operand);
    return temporary(type);
  }

  /** Returns the register that an operand is to be written to. */
  Slot required(Operand operand, Type type, boolean wider) {
    Slot slot = target(operand, type, wider);
    return slot == null ? temporary(type) : slot;
  }

  private void check(Register register, Type type, boolean wider) {
    if (!register.type.agreesWith(type, wider)) {
      mismatch();
    }
  }

  private void unknownOrMismatch(Operand operand) {
    if (operand instanceof Operand.Special special) {
      unknown(special.name());
    } else if (operand instanceof Operand.Name name && name.variable() == null) {
      unknown(name.name());
    } else {
      mismatch();
    }
  }

  /** Returns a register that holds an operand. */
  Slot source(Operand operand, Type type, boolean wider) {
    if (operand instanceof Operand.Reg reg) {
      if (!reg.selector().isEmpty()) {
        mismatch();
      }
      check(reg.register(), type, wider);
      return slot(reg.register());
    }
    if (operand instanceof Operand.Literal number) {
      return constant(bits(number, type), type.bits);
    }
    if (operand instanceof Operand.Special special) {
      return special(special.name(), type);
    }
    if (operand instanceof Operand.Name name) {
      return address(name, type);
    }
    mismatch();
    return constant(0, type.bits);
  }

  Slot source(Operand operand, Type type) {
    return source(operand, type, false);
  }

  private static long bits(Operand.Literal number, Type type) {
    boolean rounded =
        switch (type) {
          case F64 -> false;
          case F32 -> number.kind() == 'd';
          default -> type.isFloat() && !type.isPacked() && number.kind() != 'i';
        };
    return rounded
        ? Comparisons.format(type).encode(number.toDouble(), Rounding.NEAREST)
        : number.toBits(type);
  }

  private Slot special(String name, Type type) {
    return special(name, type, null);
  }

  /** Reads a special register into a register, or into a new one. */
  Slot special(String name, Type type, @Nullable Slot to) {
    SpecialRegisters.Entry entry = SpecialRegisters.find(name);
    if (entry == null) {
      unknown(name);
      return constant(0, type.bits);
    }
    if (program.tree.target() < entry.target()) {
      program.problems.add(
          current.line,
          "Feature '%s' requires .target sm_%d or higher".formatted(name, entry.target()));
    }
    if (type.bits < entry.bits() && entry.bits() != 32) {
      mismatch();
    }
    if (name.startsWith("%reserved_smem_offset")) {
      program.reserveShared();
    }
    Slot slot = to;
    if (slot == null) {
      slot = temporary(type.bits == 64 ? Type.B64 : type.bits == 1 ? Type.PRED : Type.B32);
    }
    emit(new Special(slot, entry.reader(), SpecialRegisters.isUniform(name)));
    return slot;
  }

  /** Returns the address of a variable or function. */
  private Slot address(Operand.Name name, Type type) {
    int bits = type.bits;
    Variable variable = name.variable();
    if (variable == null) {
      Function called = program.function(name.name());
      if (called == null) {
        unknown(name.name());
        return constant(0, bits);
      }
      return constant(program.code(called).address, bits);
    }
    return switch (variable.space) {
      case SHARED -> {
        int offset = program.sharedOffset(variable);
        yield offset < 0
            ? dynamicAddress(name.offset(), bits)
            : constant(offset + name.offset(), bits);
      }
      case LOCAL -> frameAddress(localOffset(variable) + name.offset(), type);
      case PARAM ->
          isKernelParameter(variable)
              ? constant(Windows.PARAM + localOffset(variable) + name.offset(), bits)
              : frameAddress(localOffset(variable) + name.offset(), type);
      default -> constant(program.address(variable) + name.offset(), bits);
    };
  }

  private Slot frameAddress(long offset, Type type) {
    Slot slot = temporary(type.bits == 64 ? Type.B64 : Type.B32);
    emit(new Special(slot, (warp, frame, lane) -> frame.localBase + offset));
    return slot;
  }

  /** Returns a predicate that is read, or null if the operand is none. */
  Predicates.@Nullable Source predicate(Operand operand) {
    boolean negated = operand instanceof Operand.Not;
    Operand inner = operand instanceof Operand.Not not ? not.operand() : operand;
    if (inner instanceof Operand.Reg reg && reg.register().type == Type.PRED) {
      return new Predicates.Source(slot(reg.register()), negated);
    }
    if (inner instanceof Operand.Literal number) {
      Slot slot = temporary(Type.PRED);
      boolean value = number.bits() != 0;
      emit(new Predicates((a, b) -> value ? -1 : 0, slot, null, null));
      return new Predicates.Source(slot, negated);
    }
    if (inner instanceof Operand.Special special) {
      return new Predicates.Source(special(special.name(), Type.PRED), negated);
    }
    unknownOrMismatch(inner);
    return null;
  }
}
