package org.vramkit.ptx.code;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.code.StraightLines.Place;
import org.vramkit.ptx.syntax.Function;
import org.vramkit.ptx.syntax.Instruction;
import org.vramkit.ptx.syntax.Operand;
import org.vramkit.ptx.syntax.Register;
import org.vramkit.ptx.syntax.Type;

/**
 * Finds the products that a GPU's compiler adds without rounding them: {@code mul} and {@code add}
 * or {@code sub} without a rounding mode become {@code fma}, if all that uses the product are such
 * sums in the same straight line of code. Of two products in a sum, the first is taken, and one
 * that has no other use before one that has.
 */
final class Contraction {
  private static final Set<Type> ADDED =
      EnumSet.of(Type.F16, Type.F16X2, Type.BF16, Type.BF16X2, Type.F32, Type.F64);

  private static final Set<String> MODES = Set.of("ftz", "sat");

  /** A sum that is computed as one fma: the signs, the product, and the other operand. */
  record Sum(Instruction product, boolean minusProduct, Operand addend, boolean minusAddend) {}

  /** A use of a product, perhaps negated, in a sum. */
  private record Use(Instruction sum, int index, boolean negated) {}

  /** A product whose uses all are sums. */
  private record Candidate(Instruction product, List<Use> uses) {
    int rank() {
      return uses.size() > 1 ? Integer.MAX_VALUE : uses.get(0).index;
    }
  }

  /** The instructions that read or write a register, for each line by their positions. */
  private static final class Accesses {
    static final Accesses NONE = new Accesses();

    final Map<Integer, NavigableMap<Integer, Instruction>> lines = new HashMap<>();
    int count;

    void add(@Nullable Place place, Instruction instruction) {
      count++;
      if (place != null) {
        lines
            .computeIfAbsent(place.line(), any -> new TreeMap<>())
            .put(place.position(), instruction);
      }
    }

    /** Returns those that run behind a place, in its line. */
    NavigableMap<Integer, Instruction> behind(Place place) {
      NavigableMap<Integer, Instruction> line = lines.get(place.line());
      return line == null ? new TreeMap<>() : line.tailMap(place.position(), false);
    }
  }

  private final Map<Instruction, Sum> sums = new HashMap<>();
  private final Set<Instruction> dropped = new HashSet<>();
  private final StraightLines lines;
  private final Map<Register, Accesses> writers = new HashMap<>();
  private final Map<Register, Accesses> readers = new HashMap<>();

  Contraction(Function function) {
    lines = new StraightLines(function);
    function.instructions.forEach(this::note);
    List<Candidate> candidates = new ArrayList<>();
    for (Instruction each : function.instructions) {
      boolean product = each.opcode.equals("mul") && isPlain(each) && !each.has("sat");
      List<Use> uses = new ArrayList<>();
      if (product && collect(each, each, false, uses) && !uses.isEmpty()) {
        candidates.add(new Candidate(each, uses));
      }
    }
    candidates.sort(Comparator.comparingInt(Candidate::rank));
    candidates.forEach(each -> contract(each.product, each.uses));
  }

  /** Returns how an instruction is computed as an fma; null if it is not. */
  @Nullable Sum sumOf(Instruction instruction) {
    return sums.get(instruction);
  }

  /** Returns whether nothing needs an instruction's result. */
  boolean isDropped(Instruction instruction) {
    return dropped.contains(instruction);
  }

  /** Returns whether a factor may have another value when the product is added. */
  boolean mayChange(Instruction product, Operand factor) {
    Place place = lines.placeOf(product);
    return place != null
        && factor instanceof Operand.Reg reg
        && !writers.getOrDefault(reg.register(), Accesses.NONE).behind(place).isEmpty();
  }

  private void contract(Instruction product, List<Use> uses) {
    if (uses.stream().anyMatch(each -> sums.containsKey(each.sum))) {
      return;
    }
    dropped.add(product);
    for (Use each : uses) {
      boolean subtracts = each.sum.opcode.equals("sub");
      sums.put(
          each.sum,
          new Sum(
              product,
              each.negated ^ (subtracts && each.index == 2),
              each.sum.operands.get(3 - each.index),
              subtracts && each.index == 1));
    }
  }

  /** Adds the uses of a value that stems from a product; returns false if one is no sum. */
  private boolean collect(Instruction product, Instruction value, boolean negated, List<Use> uses) {
    if (!(value.operands.get(0) instanceof Operand.Reg target) || value.guard != null) {
      return false;
    }
    Register register = target.register();
    Place place = lines.placeOf(value);
    if (place == null) {
      return false;
    }
    Accesses own = writers.getOrDefault(register, Accesses.NONE);
    Map.Entry<Integer, Instruction> next = own.behind(place).firstEntry();
    if (own.count > 1 && (next == null || next.getValue().guard != null)) {
      return false;
    }
    Accesses all = readers.getOrDefault(register, Accesses.NONE);
    NavigableMap<Integer, Instruction> behind = all.behind(place);
    if (next == null && behind.size() < all.count) {
      return false;
    }
    NavigableMap<Integer, Instruction> until =
        next == null ? behind : behind.headMap(next.getKey(), true);
    for (Instruction reader : until.values()) {
      if (!collectFrom(reader, register, product, negated, uses)) {
        return false;
      }
    }
    return true;
  }

  private boolean collectFrom(
      Instruction reader, Register register, Instruction product, boolean negated, List<Use> uses) {
    boolean moves = reader.opcode.equals("mov") && reader.getType().bits == product.getType().bits;
    if (moves || (reader.opcode.equals("neg") && agrees(reader, product))) {
      return reader.operands.get(1) instanceof Operand.Reg
          && collect(product, reader, negated ^ !moves, uses);
    }
    boolean sum = reader.opcode.equals("add") || reader.opcode.equals("sub");
    if (!sum || !isPlain(reader) || !agrees(reader, product)) {
      return false;
    }
    boolean first = isRegister(reader.operands.get(1), register);
    if (first && isRegister(reader.operands.get(2), register)) {
      return false;
    }
    uses.add(new Use(reader, first ? 1 : 2, negated));
    return true;
  }

  private static boolean isRegister(Operand operand, Register register) {
    return operand instanceof Operand.Reg reg && reg.register() == register;
  }

  private static boolean agrees(Instruction one, Instruction other) {
    return one.getType() == other.getType() && one.has("ftz") == other.has("ftz");
  }

  /**
   * Returns whether an instruction computes with floats, and has no mode of rounding or a wrong
   * one.
   */
  private static boolean isPlain(Instruction each) {
    return each.types.size() == 1
        && ADDED.contains(each.getType())
        && each.operands.size() == 3
        && each.modifiers.stream().allMatch(any -> Type.of(any) != null || MODES.contains(any));
  }

  /** Notes the registers that an instruction writes, the first operand, and reads, the others. */
  private void note(Instruction each) {
    for (int i = 0; i < each.operands.size(); i++) {
      boolean writes = i == 0 && !each.opcode.equals("call");
      registers(each.operands.get(i), writes)
          .distinct()
          .forEach(
              register ->
                  (writes && !(each.operands.get(0) instanceof Operand.Address) ? writers : readers)
                      .computeIfAbsent(register, key -> new Accesses())
                      .add(lines.placeOf(each), each));
    }
  }

  private static Stream<Register> registers(Operand operand, boolean writes) {
    if (operand instanceof Operand.Reg reg) {
      return Stream.of(reg.register());
    }
    if (operand instanceof Operand.Vector vector) {
      return vector.elements().stream().flatMap(each -> registers(each, writes));
    }
    if (operand instanceof Operand.Group group) {
      return group.elements().stream().flatMap(each -> registers(each, writes));
    }
    if (operand instanceof Operand.Pair pair) {
      return Stream.of(pair.first(), pair.second()).flatMap(each -> registers(each, writes));
    }
    if (operand instanceof Operand.Address address) {
      return registers(address.base(), false);
    }
    return operand instanceof Operand.Not not ? registers(not.operand(), writes) : Stream.of();
  }
}
