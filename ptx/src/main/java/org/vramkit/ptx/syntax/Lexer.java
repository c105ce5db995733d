package org.vramkit.ptx.syntax;

import java.util.Arrays;

/**
 * Cuts a text into tokens. A word includes its dots, as in {@code ld.global.f32} and {@code
 * %tid.x}; the second colon of {@code shared::cta} belongs to it as well. Comments and lines that
 * begin with {@code #} are skipped.
 */
final class Lexer {
  /** Tokens as text; numbers begin with a digit, strings with a quotation mark; the last is "". */
  String[] texts = new String[1024];

  int[] lines = new int[1024];
  int count;

  private final String source;
  private final Problems problems;
  private int at;
  private int line = 1;

  Lexer(String source, Problems problems) {
    int end = source.indexOf('\0');
    this.source = end < 0 ? source : source.substring(0, end);
    this.problems = problems;
  }

  void run() {
    requireAscii();
    while (skipBlank()) {
      int begin = at;
      char first = source.charAt(at);
      if (isDigit(first)) {
        number();
      } else if (isWord(first)) {
        word();
      } else if (first == '"') {
        string();
      } else if ("{}()[],;:+-*/%|!@<>&^~=?".indexOf(first) >= 0) {
        at += isShift(first) ? 2 : 1;
      } else {
        throw problems.syntaxError(line, "");
      }
      add(source.substring(begin, at));
    }
    add("");
  }

  private void requireAscii() {
    int inLine = 1;
    for (int i = 0; i < source.length(); i++) {
      char each = source.charAt(i);
      inLine += each == '\n' ? 1 : 0;
      if (each > 126 && each != 127) {
        throw problems.fatal(0, "Unexpected non-ASCII character encountered on line " + inLine);
      }
    }
  }

  private boolean isShift(char first) {
    return (first == '<' || first == '>' || first == '&' || first == '|' || first == '=')
        && at + 1 < source.length()
        && source.charAt(at + 1) == first
        && first != '|';
  }

  private void add(String text) {
    if (count == texts.length) {
      texts = Arrays.copyOf(texts, 2 * count);
      lines = Arrays.copyOf(lines, 2 * count);
    }
    texts[count] = text;
    lines[count++] = line;
  }

  /** Skips blanks and comments; returns whether more follows. */
  private boolean skipBlank() {
    while (at < source.length()) {
      char each = source.charAt(at);
      if (each == '\n') {
        line++;
        at++;
      } else if (each == ' ' || each == '\t' || each == '\r') {
        at++;
      } else if (source.startsWith("//", at) || (each == '#' && isFirstOfLine())) {
        int end = source.indexOf('\n', at);
        at = end < 0 ? source.length() : end;
      } else if (source.startsWith("/*", at)) {
        int end = source.indexOf("*/", at + 2);
        if (end < 0) {
          throw problems.syntaxError(line, "");
        }
        line += (int) source.substring(at, end).chars().filter(c -> c == '\n').count();
        at = end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  private boolean isFirstOfLine() {
    return source.substring(source.lastIndexOf('\n', at) + 1, at).isBlank();
  }

  private void number() {
    boolean hex = source.startsWith("0x", at) || source.startsWith("0X", at);
    boolean bits = source.startsWith("0f", at) || source.startsWith("0d", at);
    bits |= source.startsWith("0F", at) || source.startsWith("0D", at);
    at += hex || bits ? 2 : 0;
    while (at < source.length()) {
      char each = source.charAt(at);
      boolean exponent = !hex && !bits && (each == 'e' || each == 'E');
      boolean part = Character.digit(each, 16) >= 0 || each == 'U' || each == '.';
      // Of binary numbers, and of the old hexadecimal form of doubles.
      part |= each == 'b' || each == 'B' || each == 'x';
      if (!part) {
        break;
      }
      at++;
      if (exponent && at < source.length() && "+-".indexOf(source.charAt(at)) >= 0) {
        at++;
      }
    }
  }

  private void word() {
    int begin = at;
    boolean directive = source.charAt(at) == '.';
    while (at < source.length()) {
      char each = source.charAt(at);
      if (directive && each == '.' && at > begin) {
        return;
      }
      if (isWord(each) || isDigit(each)) {
        at++;
      } else if (source.startsWith("::", at) && isWord(charAt(at + 2))) {
        at += 2;
      } else {
        return;
      }
    }
  }

  private char charAt(int position) {
    return position < source.length() ? source.charAt(position) : ' ';
  }

  private void string() {
    int end = source.indexOf('"', at + 1);
    int lineEnd = source.indexOf('\n', at);
    if (end < 0 || (lineEnd >= 0 && lineEnd < end)) {
      throw problems.syntaxError(line, "\"");
    }
    at = end + 1;
  }

  private static boolean isDigit(char each) {
    return each >= '0' && each <= '9';
  }

  private static boolean isWord(char each) {
    return (each >= 'a' && each <= 'z')
        || (each >= 'A' && each <= 'Z')
        || each == '_'
        || each == '$'
        || each == '%'
        || each == '.';
  }
}
