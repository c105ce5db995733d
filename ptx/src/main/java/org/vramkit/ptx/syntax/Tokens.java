package org.vramkit.ptx.syntax;

import java.util.Map;
import org.vramkit.ptx.syntax.Operand.Literal;

/** A cursor over the tokens of a text, with the constant expressions of PTX. */
final class Tokens {
  private static final Map<String, Integer> PRECEDENCE =
      Map.ofEntries(
          Map.entry("|", 1),
          Map.entry("^", 2),
          Map.entry("&", 3),
          Map.entry("<<", 5),
          Map.entry(">>", 5),
          Map.entry("+", 6),
          Map.entry("-", 6),
          Map.entry("*", 7),
          Map.entry("/", 7),
          Map.entry("%", 7));

  private static final int DEEPEST = 64;

  final Problems problems;
  private final String[] texts;
  private final int[] lines;
  private final int last;
  private int at;
  private int depth;

  Tokens(String source, Problems problems) {
    Lexer lexer = new Lexer(source, problems);
    lexer.run();
    this.problems = problems;
    this.texts = lexer.texts;
    this.lines = lexer.lines;
    this.last = lexer.count - 1;
  }

  /** Gives the files that the text names, often behind the functions that refer to them. */
  void files(SourceLines target) {
    for (int i = 0; i + 2 < last; i++) {
      if (texts[i].equals(".file") && texts[i + 2].startsWith("\"") && texts[i + 1].length() < 9) {
        target.file(Integer.parseInt(texts[i + 1].replaceAll("\\D", "0")), texts[i + 2]);
      }
    }
  }

  /** Returns whether a word stands among the tokens that have been taken. */
  boolean wasSkipped(String word) {
    for (int i = 0; i < at; i++) {
      if (texts[i].equals(word)) {
        return true;
      }
    }
    return false;
  }

  String peek() {
    return texts[at];
  }

  String peekAfter() {
    return texts[Math.min(at + 1, last)];
  }

  boolean isAtEnd() {
    return at >= last;
  }

  int line() {
    return lines[at];
  }

  String next() {
    String text = texts[at];
    at = Math.min(at + 1, last);
    return text;
  }

  boolean skip(String text) {
    boolean found = texts[at].equals(text);
    if (found) {
      next();
    }
    return found;
  }

  /** Skips all up to a token, and the token. */
  void skipTo(String text) {
    while (!skip(text)) {
      if (isAtEnd()) {
        throw syntaxError();
      }
      next();
    }
  }

  void expect(String text) {
    if (!skip(text)) {
      throw syntaxError();
    }
  }

  RuntimeException syntaxError() {
    return problems.syntaxError(line(), peek());
  }

  /** Takes the name of something: a word that is no directive. */
  String name() {
    String text = peek();
    if (!isWord(text) || text.startsWith(".")) {
      throw syntaxError();
    }
    return next();
  }

  static boolean isWord(String text) {
    if (text.isEmpty()) {
      return false;
    }
    char first = text.charAt(0);
    return Character.isLetter(first)
        || first == '_'
        || first == '$'
        || first == '%'
        || first == '.';
  }

  int integer() {
    long value = constant().bits();
    if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
      throw syntaxError();
    }
    return (int) value;
  }

  /** Takes a constant expression. */
  Literal constant() {
    return binary(0);
  }

  private Literal binary(int lowest) {
    Literal left = unary();
    while (true) {
      String operator = peek();
      Integer precedence = PRECEDENCE.get(operator);
      if (precedence == null || precedence <= lowest || left.kind() != 'i') {
        return left;
      }
      int line = line();
      next();
      Literal right = binary(precedence);
      left = new Literal(combine(operator, left.bits(), right.bits(), line), 'i');
    }
  }

  private long combine(String operator, long left, long right, int line) {
    if (right == 0 && (operator.equals("/") || operator.equals("%"))) {
      throw problems.fatal(line, "Division by zero");
    }
    return switch (operator) {
      case "|" -> left | right;
      case "^" -> left ^ right;
      case "&" -> left & right;
      case "<<" -> left << right;
      case ">>" -> left >> right;
      case "+" -> left + right;
      case "-" -> left - right;
      case "*" -> left * right;
      case "/" -> left / right;
      default -> left % right;
    };
  }

  private Literal unary() {
    if (++depth > DEEPEST) {
      throw syntaxError();
    }
    try {
      if (skip("-")) {
        return negate(unary());
      }
      if (skip("+")) {
        return unary();
      }
      if (skip("~")) {
        return new Literal(~unary().bits(), 'i');
      }
      if (skip("!")) {
        return new Literal(unary().bits() == 0 ? 1 : 0, 'i');
      }
      if (skip("(")) {
        if (skip(".s64") || skip(".u64")) {
          expect(")");
          return unary();
        }
        Literal inner = constant();
        expect(")");
        return inner;
      }
      if (skip("WARP_SZ")) {
        return new Literal(32, 'i');
      }
      return literal();
    } finally {
      depth--;
    }
  }

  private static Literal negate(Literal number) {
    return switch (number.kind()) {
      case 'i' -> new Literal(-number.bits(), 'i');
      case 'f' -> new Literal(number.bits() ^ 0x80000000L, 'f');
      default -> new Literal(number.bits() ^ Long.MIN_VALUE, 'd');
    };
  }

  private Literal literal() {
    if (peek().isEmpty() || !Character.isDigit(peek().charAt(0))) {
      throw syntaxError();
    }
    String text = peek();
    String lower = text.toLowerCase(java.util.Locale.ROOT);
    String digits = lower.endsWith("u") ? lower.substring(0, lower.length() - 1) : lower;
    try {
      Literal number;
      if (digits.startsWith("0f")) {
        number = bits(digits, 8, 'f');
      } else if (digits.startsWith("0d")) {
        number = bits(digits, 16, 'd');
      } else if (digits.startsWith("0x")) {
        number = new Literal(Long.parseUnsignedLong(digits.substring(2), 16), 'i');
      } else if (digits.indexOf('.') >= 0 || digits.indexOf('e') >= 0) {
        number = new Literal(Double.doubleToRawLongBits(Double.parseDouble(digits)), 'd');
      } else if (digits.startsWith("0b")) {
        number = new Literal(Long.parseUnsignedLong(digits.substring(2), 2), 'i');
      } else {
        boolean octal = digits.length() > 1 && digits.startsWith("0");
        number = new Literal(Long.parseUnsignedLong(digits, octal ? 8 : 10), 'i');
      }
      next();
      return number;
    } catch (NumberFormatException e) {
      throw syntaxError();
    }
  }

  private static Literal bits(String digits, int length, char kind) {
    if (digits.length() != length + 2) {
      throw new NumberFormatException(digits);
    }
    return new Literal(Long.parseUnsignedLong(digits.substring(2), 16), kind);
  }
}
