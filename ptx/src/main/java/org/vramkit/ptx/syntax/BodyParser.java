package org.vramkit.ptx.syntax;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.syntax.Operand.Address;
import org.vramkit.ptx.syntax.Operand.Group;
import org.vramkit.ptx.syntax.Operand.Name;
import org.vramkit.ptx.syntax.Operand.Not;
import org.vramkit.ptx.syntax.Operand.Pair;
import org.vramkit.ptx.syntax.Operand.Reg;
import org.vramkit.ptx.syntax.Operand.Sink;
import org.vramkit.ptx.syntax.Operand.Special;
import org.vramkit.ptx.syntax.Operand.Vector;

/** Reads the body of a function. Names are looked up in the scopes that its braces open. */
final class BodyParser {
  private static final Set<String> COMPONENTS = Set.of("x", "y", "z", "w", "r", "g", "b", "a");

  private static final Pattern USED_BYTES =
      Pattern.compile("^\"used_bytes_mask (0[xX]\\p{XDigit}{1,8}|\\d{1,10})\"$");

  /** No declaration may have more registers. */
  private static final int MOST_REGISTERS = 1 << 20;

  private final Tokens tokens;
  private final SyntaxTree tree;
  private final Function function;
  private final Declarations declarations;
  private final SourceLines sourceLines;
  private final Deque<Scope> scopes = new ArrayDeque<>();
  private int registers;

  /** The bytes that the next instruction uses, by a pragma; -1 if all of them. */
  private int usedBytes = -1;

  /** Names of one pair of braces; a label of an inner scope is renamed if it is not unique. */
  private static final class Scope {
    final Map<String, Register> registers = new HashMap<>();
    final Map<String, Variable> variables = new HashMap<>();
  }

  BodyParser(
      Tokens tokens,
      SyntaxTree tree,
      Function function,
      Declarations declarations,
      SourceLines sourceLines) {
    this.tokens = tokens;
    this.tree = tree;
    this.function = function;
    this.declarations = declarations;
    this.sourceLines = sourceLines;
  }

  void run() {
    sourceLines.beginFunction();
    Scope outer = new Scope();
    scopes.push(outer);
    parameters(function.results, outer);
    parameters(function.parameters, outer);
    tokens.expect("{");
    while (!scopes.isEmpty()) {
      statement();
    }
  }

  private void parameters(List<Variable> parameters, Scope scope) {
    for (Variable each : parameters) {
      if (each.register != null) {
        each.register = declare(scope, each.name, each.type);
      } else {
        scope.variables.put(each.name, each);
      }
    }
  }

  private Register declare(Scope scope, String name, Type type) {
    Register register = new Register(name, type);
    registers++;
    scope.registers.put(name, register);
    return register;
  }

  private void statement() {
    String word = tokens.peek();
    if (word.equals("{")) {
      tokens.next();
      scopes.push(new Scope());
    } else if (word.equals("}")) {
      tokens.next();
      scopes.pop();
    } else if (word.startsWith(".")) {
      directive();
    } else if (tokens.peekAfter().equals(":") && Tokens.isWord(word)) {
      label();
    } else if (word.equals("@") || Tokens.isWord(word)) {
      instruction();
    } else if (!tokens.skip(";")) {
      throw tokens.syntaxError();
    }
  }

  private void directive() {
    int line = tokens.line();
    String word = tokens.next();
    switch (word) {
      case ".reg" -> registers();
      case ".shared" -> local(Space.SHARED);
      case ".local" -> local(Space.LOCAL);
      case ".param" -> local(Space.PARAM);
      case ".global" -> local(Space.GLOBAL);
      case ".const" -> local(Space.CONST);
      case ".extern" -> {
        tokens.expect(".shared");
        declarations.variables(Space.SHARED, true, this::declare);
      }
      case ".loc" -> sourceLines.location(tokens);
      case ".pragma" -> pragma();
      default -> throw tokens.problems.syntaxError(line, word);
    }
  }

  private void pragma() {
    String text = tokens.next();
    Parser.warn(text, tree.warnings());
    Matcher used = USED_BYTES.matcher(text);
    if (used.find()) {
      usedBytes = (int) (long) Long.decode(used.group(1));
    }
    tokens.expect(";");
  }

  private void registers() {
    int vector = 1;
    String word = tokens.next();
    if (word.equals(".v2") || word.equals(".v4")) {
      vector = word.charAt(2) - '0';
      word = tokens.next();
    }
    Type type = word.isEmpty() ? null : Type.of(word.substring(1));
    if (type == null) {
      throw tokens.syntaxError();
    }
    Scope scope = scopes.element();
    do {
      int line = tokens.line();
      String name = tokens.name();
      if (tokens.skip("<")) {
        int count = tokens.integer();
        tokens.expect(">");
        if (count < 0 || registers + (long) count > MOST_REGISTERS) {
          throw tokens.problems.fatal(line, "Too many registers '" + name + "'");
        }
        for (int i = 0; i < count; i++) {
          declare(scope, name + i, type);
        }
      } else if (vector > 1) {
        for (int i = 0; i < vector; i++) {
          declare(scope, name + "." + "xyzw".charAt(i), type);
        }
      } else {
        if (scope.registers.containsKey(name)) {
          tokens.problems.add(line, "Duplicate definition of variable '" + name + "'");
        }
        declare(scope, name, type);
      }
    } while (tokens.skip(","));
    tokens.expect(";");
  }

  private void local(Space space) {
    declarations.variables(space, false, this::declare);
  }

  private void declare(Variable variable) {
    Variable earlier = scopes.element().variables.put(variable.name, variable);
    if (earlier != null && !variable.external) {
      tokens.problems.add(
          variable.line, "Duplicate definition of variable '" + variable.name + "'");
    }
    function.variables.add(variable);
  }

  private void label() {
    int line = tokens.line();
    String name = tokens.name();
    tokens.expect(":");
    switch (tokens.peek()) {
      case ".branchtargets", ".calltargets" -> {
        tokens.next();
        List<String> names = new ArrayList<>();
        do {
          names.add(tokens.name());
        } while (tokens.skip(","));
        tokens.expect(";");
        function.targets.put(name, names);
      }
      case ".callprototype" -> {
        tokens.next();
        function.prototypes.put(name, prototype(name, line));
      }
      default -> {
        if (function.labels.put(name, function.instructions.size()) != null) {
          tokens.problems.add(line, "Duplicate definition of label '" + name + "'");
        }
      }
    }
  }

  private Function prototype(String name, int line) {
    Function prototype = new Function(name, false, line);
    if (tokens.peek().equals("(")) {
      declarations.parameters(prototype.results, false);
    }
    tokens.name();
    if (tokens.peek().equals("(")) {
      declarations.parameters(prototype.parameters, false);
    }
    tokens.skipTo(";");
    return prototype;
  }

  private void instruction() {
    Register guard = null;
    boolean negated = false;
    int line = tokens.line();
    if (tokens.skip("@")) {
      negated = tokens.skip("!");
      String name = tokens.name();
      guard = register(name);
      if (guard == null) {
        tokens.problems.add(line, "Unknown symbol '" + name + "'");
      }
    }
    line = tokens.line();
    String opcode = tokens.name();
    List<Operand> operands = new ArrayList<>();
    while (!tokens.skip(";")) {
      operands.add(operand());
      if (!tokens.peek().equals(";")) {
        tokens.expect(",");
        if (tokens.peek().equals(";")) {
          throw tokens.syntaxError();
        }
      }
    }
    function.instructions.add(
        new Instruction(guard, negated, opcode, operands, sourceLines.at(line), usedBytes));
    usedBytes = -1;
  }

  private Operand operand() {
    Operand first = simple();
    if (tokens.skip("|")) {
      return new Pair(first, simple());
    }
    return first;
  }

  private Operand simple() {
    String word = tokens.peek();
    switch (word) {
      case "{" -> {
        tokens.next();
        return new Vector(list("}"));
      }
      case "(" -> {
        if (!Tokens.isWord(tokens.peekAfter()) && !tokens.peekAfter().equals(")")) {
          return tokens.constant();
        }
        tokens.next();
        return new Group(list(")"));
      }
      case "[" -> {
        tokens.next();
        return address();
      }
      case "!" -> {
        if (Tokens.isWord(tokens.peekAfter())) {
          tokens.next();
          return new Not(simple());
        }
        return tokens.constant();
      }
      case "_" -> {
        tokens.next();
        return new Sink();
      }
      default -> {
        boolean name = Tokens.isWord(word) && !word.equals("WARP_SZ");
        return name ? named() : tokens.constant();
      }
    }
  }

  private List<Operand> list(String end) {
    List<Operand> elements = new ArrayList<>();
    while (!tokens.skip(end)) {
      elements.add(simple());
      if (!tokens.peek().equals(end)) {
        tokens.expect(",");
      }
    }
    return elements;
  }

  private Operand address() {
    Operand base = simple();
    long offset = 0;
    if (base instanceof Name name) {
      offset = name.offset();
      base = new Name(name.name(), name.variable(), 0);
    } else if (tokens.peek().equals("+") || tokens.peek().equals("-")) {
      offset = tokens.constant().bits();
    }
    List<Operand> more = new ArrayList<>();
    while (tokens.skip(",")) {
      more.add(simple());
    }
    tokens.expect("]");
    return new Address(base, offset, more);
  }

  private Operand named() {
    String word = tokens.name();
    Register register = register(word);
    if (register != null) {
      return new Reg(register, "");
    }
    int dot = word.lastIndexOf('.');
    if (dot > 0) {
      register = register(word.substring(0, dot));
      if (register != null) {
        return new Reg(register, word.substring(dot + 1));
      }
      if (word.startsWith("%") && COMPONENTS.contains(word.substring(dot + 1))) {
        return new Special(word);
      }
    }
    Operand vector = vector(word);
    if (vector != null) {
      return vector;
    }
    Variable variable = variable(word);
    boolean known = variable != null || !word.startsWith("%");
    if (!known) {
      return new Special(word);
    }
    long offset = 0;
    if (tokens.peek().equals("+") || tokens.peek().equals("-")) {
      offset = tokens.constant().bits();
    }
    return new Name(word, variable, offset);
  }

  private @Nullable Operand vector(String word) {
    List<Operand> elements = new ArrayList<>();
    for (String component : List.of(".x", ".y", ".z", ".w")) {
      Register register = register(word + component);
      if (register != null) {
        elements.add(new Reg(register, ""));
      }
    }
    return elements.isEmpty() ? null : new Vector(elements);
  }

  private @Nullable Register register(String name) {
    return innermost(name, scope -> scope.registers);
  }

  private @Nullable Variable variable(String name) {
    Variable local = innermost(name, scope -> scope.variables);
    return local == null ? tree.variables().get(name) : local;
  }

  private <T> @Nullable T innermost(
      String name, java.util.function.Function<Scope, Map<String, T>> names) {
    for (Scope scope : scopes) {
      T found = names.apply(scope).get(name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
