package org.vramkit.ptx.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.syntax.Operand.Literal;
import org.vramkit.ptx.syntax.Variable.Pointer;

/** Reads declarations of variables and parameters, with initial values. */
final class Declarations {
  /** No variable may have more bytes. */
  private static final long MOST_BYTES = 1L << 40;

  /** No initial value may have more bytes. */
  private static final long MOST_INITIAL = 1 << 28;

  private final Tokens tokens;

  Declarations(Tokens tokens) {
    this.tokens = tokens;
  }

  /** Reads variables of one declaration, behind the name of its space. */
  void variables(Space space, boolean external, Consumer<Variable> target) {
    Head head = head();
    do {
      Variable variable = declarator(head, space);
      variable.external = external;
      if (tokens.skip("=")) {
        initialize(variable, head);
      }
      if (variable.bytes == 0 && !external && head.opaque == null) {
        variable.unsized = true;
      }
      target.accept(variable);
    } while (tokens.skip(","));
    tokens.expect(";");
  }

  /** Reads a list of parameters in parentheses. */
  void parameters(List<Variable> target, boolean entry) {
    tokens.expect("(");
    while (!tokens.skip(")")) {
      boolean inRegister = !entry && tokens.skip(".reg");
      if (!inRegister) {
        tokens.expect(".param");
      }
      Head head = head();
      Variable variable = declarator(head, Space.PARAM);
      if (inRegister) {
        variable.register = new Register(variable.name, head.type);
      }
      target.add(variable);
      if (!tokens.peek().equals(")")) {
        tokens.expect(",");
      }
    }
  }

  void skipParentheses() {
    tokens.expect("(");
    tokens.skipTo(")");
  }

  /** The part before the names: type, vector and alignment. */
  private static final class Head {
    Type type = Type.B8;
    int vector = 1;
    int alignment;
    @Nullable String opaque;
    final StringBuilder text = new StringBuilder();
  }

  private Head head() {
    Head head = new Head();
    boolean typed = false;
    while (tokens.peek().startsWith(".")) {
      int line = tokens.line();
      String word = tokens.next().substring(1);
      head.text.append(head.text.length() == 0 ? "." : " .").append(word);
      Type type = Type.of(word);
      if (type != null) {
        head.type = type;
        typed = true;
      } else if (word.equals("v2") || word.equals("v4") || word.equals("v8")) {
        head.vector = word.charAt(1) - '0';
      } else if (word.equals("align")) {
        head.alignment = tokens.integer();
        head.text.append(' ').append(head.alignment);
        if (Integer.bitCount(head.alignment) != 1) {
          tokens.problems.add(line, "Alignment must be a power of two");
        }
      } else if (word.equals("attribute")) {
        skipParentheses();
      } else if (word.matches("texref|surfref|samplerref")) {
        head.opaque = word;
        head.type = Type.B64;
        typed = true;
      } else if (!word.matches("ptr|global|const|shared|local|param")) {
        throw tokens.problems.syntaxError(line, "." + word);
      }
    }
    if (!typed) {
      throw tokens.syntaxError();
    }
    return head;
  }

  private Variable declarator(Head head, Space space) {
    int line = tokens.line();
    String name = tokens.name();
    Variable variable = new Variable(name, space, head.type, line);
    long elements = head.vector;
    StringBuilder dimensions = new StringBuilder();
    while (tokens.skip("[")) {
      long length = tokens.peek().equals("]") ? 0 : tokens.constant().bits();
      tokens.expect("]");
      if (length < 0 || (length > 0 && elements > MOST_BYTES / length)) {
        throw tokens.problems.fatal(line, "Array '" + name + "' is too large");
      }
      elements *= length;
      variable.array = true;
      dimensions.append('[').append(length == 0 ? "" : String.valueOf(length)).append(']');
    }
    if (tokens.peek().equals("<")) {
      throw tokens.syntaxError();
    }
    variable.bytes = elements * head.type.getBytes();
    int natural = head.type.getBytes() * head.vector;
    variable.alignment = Math.max(1, head.alignment == 0 ? natural : head.alignment);
    variable.declaration = head.text + " " + name + dimensions;
    return variable;
  }

  private void initialize(Variable variable, Head head) {
    int line = tokens.line();
    List<Object> values = new ArrayList<>();
    initializer(values, 0);
    int width = head.type.getBytes();
    long needed = (long) values.size() * width;
    if (variable.bytes == 0) {
      variable.bytes = needed;
    }
    if (needed > variable.bytes || variable.bytes > MOST_INITIAL) {
      throw tokens.problems.fatal(line, "Too many initializers for '" + variable.name + "'");
    }
    byte[] bytes = new byte[(int) variable.bytes];
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value instanceof Literal number) {
        long bits = number.toBits(head.type);
        for (int b = 0; b < width && b < 8; b++) {
          bytes[i * width + b] = (byte) (bits >>> (8 * b));
        }
      } else {
        Pointer pointer = (Pointer) value;
        variable.pointers.add(
            new Pointer(i * width, width, pointer.name(), pointer.addend(), pointer.shift()));
      }
    }
    variable.initial = bytes;
  }

  private void initializer(List<Object> values, int depth) {
    if (values.size() > MOST_INITIAL || depth > 8) {
      throw tokens.syntaxError();
    }
    if (!tokens.skip("{")) {
      values.add(value());
      return;
    }
    while (!tokens.skip("}")) {
      initializer(values, depth + 1);
      if (!tokens.peek().equals("}")) {
        tokens.expect(",");
      }
    }
  }

  private Object value() {
    if (!Tokens.isWord(tokens.peek()) || tokens.peek().equals("WARP_SZ")) {
      Literal number = tokens.constant();
      if (!tokens.skip("(")) {
        return number;
      }
      // A byte of an address, as in 0xff00(name).
      Pointer pointer = pointer();
      tokens.expect(")");
      int shift = Long.numberOfTrailingZeros(number.bits()) & ~7 & 63;
      return new Pointer(0, 0, pointer.name(), pointer.addend(), shift);
    }
    return pointer();
  }

  private Pointer pointer() {
    String name = tokens.name();
    if (name.toLowerCase(Locale.ROOT).equals("generic") && tokens.skip("(")) {
      name = tokens.name();
      tokens.expect(")");
    }
    long addend = 0;
    if (tokens.peek().equals("+") || tokens.peek().equals("-")) {
      addend = tokens.constant().bits();
    }
    return new Pointer(0, 0, name, addend, 0);
  }
}
