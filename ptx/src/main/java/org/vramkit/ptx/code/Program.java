package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.CodeLine;
import org.vramkit.ptx.run.Bounds;
import org.vramkit.ptx.run.Code;
import org.vramkit.ptx.run.Grid;
import org.vramkit.ptx.run.Slot;
import org.vramkit.ptx.run.Step;
import org.vramkit.ptx.run.Windows;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Problems;
import org.vramkit.ptx.syntax.Space;
import org.vramkit.ptx.syntax.SyntaxTree;
import org.vramkit.ptx.syntax.Variable;

/** A kernel with all functions that it may call, translated for addresses of variables. */
public final class Program {
  /** Bytes between variables, which no access may touch. */
  private static final int GAP = 64;

  /** Bytes of shared memory that the system reserves for groups of warps. */
  private static final int RESERVED = 288;

  final SyntaxTree tree;
  final Problems problems;
  private final Addresses addresses;
  private final Map<String, Code> codes = new LinkedHashMap<>();
  private final Map<Variable, Integer> sharedOffsets = new HashMap<>();
  private final List<CodeLine> lines = new ArrayList<>();
  private final Bounds sharedBounds = new Bounds();
  private final Bounds constantBounds = new Bounds();
  private final List<LongConsumer> onLayout = new ArrayList<>();
  private final List<Function> pending = new ArrayList<>();
  private int sharedEnd;
  private int staticBytes;
  private int localBytes;
  private int reservedOffset = -1;
  private boolean pointeesAdded;
  private boolean comparesAndSwaps;
  private @Nullable Unsimulated unsimulated;

  /** Addresses of variables of the module in device memory. */
  @FunctionalInterface
  public interface Addresses {
    long of(Variable variable);
  }

  /** An instruction that is not simulated. */
  public record Unsimulated(String instruction, CodeLine line) {}

  private Program(SyntaxTree tree, Problems problems, Addresses addresses) {
    this.tree = tree;
    this.problems = problems;
    this.addresses = addresses;
    tree.variables().values().stream()
        .filter(each -> each.space == Space.CONST)
        .map(each -> new long[] {addresses.of(each), each.bytes})
        .sorted((one, other) -> Long.compare(one[0], other[0]))
        .forEach(each -> constantBounds.add(each[0], each[1]));
  }

  /** Translates a function and all that it calls. */
  public static Program of(
      SyntaxTree tree, Function function, Problems problems, Addresses addresses) {
    Program program = new Program(tree, problems, addresses);
    program.code(function);
    while (!program.pending.isEmpty()) {
      Function next = program.pending.remove(program.pending.size() - 1);
      Code code = program.code(next);
      new FunctionTranslator(program, next, code).translate();
    }
    program.onLayout.forEach(action -> action.accept(program.sharedBytes()));
    return program;
  }

  /** Returns the code of a function, which is translated later. */
  Code code(Function function) {
    return codes.computeIfAbsent(
        function.name,
        name -> {
          Code code = new Code(name, function.entry);
          code.address = Windows.ofFunction(tree.indexOf(name));
          pending.add(function);
          return code;
        });
  }

  /** Returns the function of a name or alias, or null. */
  @Nullable Function function(String name) {
    return tree.functions().get(tree.aliases().getOrDefault(name, name));
  }

  /** Returns the register in which a function keeps a parameter or result. */
  static Slot parameterSlot(Function function, Variable parameter) {
    int registers = 0;
    int predicates = 0;
    List<Variable> all = new ArrayList<>(function.results);
    all.addAll(function.parameters);
    for (Variable each : all) {
      int bits = each.register == null ? 0 : each.type.bits;
      if (each == parameter) {
        return bits == 1
            ? new Slot(true, predicates, 1)
            : new Slot(false, registers, Integers.mask(bits));
      }
      predicates += bits == 1 ? 1 : 0;
      registers += bits == 128 ? 2 : bits > 1 ? 1 : 0;
    }
    throw new AssertionError(parameter.name);
  }

  long address(Variable variable) {
    return addresses.of(variable);
  }

  /** Returns the place of a shared variable, which gets one when it is first used. */
  int sharedOffset(Variable variable) {
    if ((variable.external && variable.bytes == 0) || variable.unsized) {
      return -1;
    }
    return sharedOffsets.computeIfAbsent(
        variable,
        each -> {
          int offset = addShared(each.bytes, Math.max(each.alignment, 16));
          staticBytes =
              (staticBytes + each.alignment - 1) / each.alignment * each.alignment
                  + (int) each.bytes;
          return offset;
        });
  }

  private int addShared(long bytes, int alignment) {
    int offset = (sharedEnd + alignment - 1) / alignment * alignment;
    sharedBounds.add(offset, bytes);
    sharedEnd = (int) Math.min(offset + bytes + GAP, 1 << 28);
    return offset;
  }

  /** Makes room for the shared memory that the system reserves, if the program asks for it. */
  void reserveShared() {
    if (reservedOffset < 0) {
      reservedOffset = addShared(RESERVED, GAP);
    }
  }

  /** Calls back with the address of dynamic shared memory when all functions are translated. */
  void onLayout(LongConsumer action) {
    onLayout.add(action);
  }

  void add(Step step) {
    step.id = lines.size();
    lines.add(step.place);
  }

  /** Translates all functions whose addresses variables contain, for calls by pointer. */
  void addPointees() {
    if (!pointeesAdded) {
      pointeesAdded = true;
      for (Variable variable : tree.variables().values()) {
        for (Variable.Pointer pointer : variable.pointers) {
          Function function = function(pointer.name());
          if (function != null && function.defined) {
            code(function);
          }
        }
      }
    }
  }

  void refuse(String instruction, CodeLine line) {
    if (unsimulated == null) {
      unsimulated = new Unsimulated(instruction, line);
    }
  }

  void addLocal(long bytes) {
    localBytes += (int) Math.min(bytes, 1 << 28);
  }

  /** Returns the first instruction that is not simulated, or null. */
  public @Nullable Unsimulated getUnsimulated() {
    return unsimulated;
  }

  public int getStaticBytes() {
    return staticBytes;
  }

  public int getLocalBytes() {
    return localBytes;
  }

  void noteCompareAndSwap() {
    comparesAndSwaps = true;
  }

  private int sharedBytes() {
    return (sharedEnd + 127) & -128;
  }

  /** Returns what the program needs to run. */
  public Grid.Layout getLayout() {
    Map<Long, Code> functions =
        codes.values().stream().collect(Collectors.toMap(each -> each.address, each -> each));
    return new Grid.Layout(
        sharedBytes(),
        staticBytes,
        reservedOffset,
        sharedBounds,
        constantBounds,
        functions,
        comparesAndSwaps,
        tree.debug(),
        lines);
  }

  public Code getKernel() {
    return codes.values().iterator().next();
  }
}
