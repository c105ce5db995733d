package org.vramkit.tools.owner;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a native function, without the return type and the parameters that demanglers write
 * around the names of templates: {@code void at::cuda::gemm<float>(char)} is {@code
 * at::cuda::gemm<float>}.
 */
final class NativeName {
  // A symbol of C++ that was not demangled, up to its first named scope.
  private static final Pattern MANGLED =
      Pattern.compile("^_ZN?[KVr]*(?:12_GLOBAL__N_1)?(?:(?<std>S[tabsiod])|(?<length>\\d{1,4}))");

  private static final String SYMBOLS = "<>=!+-*/%^&|~,[]";
  private static final String OPERATOR = "operator";
  private static final String DECLTYPE = "decltype";

  private NativeName() {}

  /**
   * Returns the outermost named scope of a function, such as a namespace or a class; the function's
   * own name if it has no scope. Scopes without a name are skipped.
   */
  static String scope(String written) {
    Matcher mangled = MANGLED.matcher(written);
    if (mangled.find()) {
      return mangled.group("std") != null ? "std" : ofLength(written, mangled);
    }
    String name =
        written
            .replace("(anonymous namespace)::", "")
            .replace("`anonymous namespace'::", "")
            .replace("{anonymous}::", "");
    int begin = 0;
    int depth = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (depth == 0 && name.startsWith(OPERATOR, i) && isBoundary(name, i)) {
        i = endOfOperator(name, i + OPERATOR.length()) - 1;
      } else if (c == '(' && depth == 0 && i > begin && !name.startsWith(DECLTYPE, begin)) {
        return firstOf(name.substring(begin, i));
      } else if (c == '<' || c == '(' || c == '[' || c == '{') {
        depth++;
      } else if (c == ')' || c == ']' || c == '}' || (c == '>' && name.charAt(i - 1) != '-')) {
        depth--;
      } else if (c == ' ' && depth == 0) {
        begin = i + 1;
      }
    }
    return firstOf(name.substring(begin));
  }

  /** Returns a name of a symbol, before which its length stands. */
  private static String ofLength(String symbol, Matcher length) {
    long end = length.end() + Long.parseLong(length.group("length"));
    return symbol.substring(length.end(), (int) Math.min(symbol.length(), end));
  }

  private static boolean isBoundary(String name, int at) {
    return at == 0 || !Character.isJavaIdentifierPart(name.charAt(at - 1));
  }

  /** Returns the index after the symbol of an operator, or after the space before its type. */
  private static int endOfOperator(String name, int from) {
    if (name.startsWith("()", from)) {
      return from + 2;
    }
    int at = from;
    while (at < name.length() && SYMBOLS.indexOf(name.charAt(at)) >= 0) {
      at++;
    }
    boolean goesOn = name.startsWith(at == from ? " " : " <", at);
    return goesOn ? at + 1 : at;
  }

  private static String firstOf(String qualified) {
    int depth = 0;
    for (int i = 0; i < qualified.length(); i++) {
      char c = qualified.charAt(i);
      depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
      if (depth == 0 && qualified.startsWith("::", i)) {
        return qualified.substring(0, i);
      }
    }
    return qualified;
  }
}
