package org.vramkit.tools.owner;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A frame of a recorded stack.
 *
 * @param name the function's name as the recorder wrote it
 * @param file the source file, with {@code /} between folders on all systems; empty if unknown
 * @param line the line in the source file; 0 if unknown
 * @param language the language of the code
 */
record Frame(String name, String file, int line, Language language) {
  /** Languages, by what frames look like. */
  enum Language {
    PYTHON,
    JVM,
    /** C, C++ and other languages that are compiled to machine code. */
    NATIVE,
    /** A text that is no frame. */
    NONE
  }

  private static final Pattern LINE = Pattern.compile("(.*?)(?::(\\d+))?", Pattern.DOTALL);
  private static final Pattern UNKNOWN_FILE = Pattern.compile("^(?:\\?\\?|unknown)$");
  private static final Pattern PYTHON_FILE = Pattern.compile(".*\\.p(?:y|yx|yw|xd|xi)|<.*>");
  // Functions without a name, which only Python writes like this.
  private static final Pattern PYTHON_NAME =
      Pattern.compile("<(?:module|lambda|(?:list|set|dict)comp|genexpr|cell line: .*)>");
  private static final Pattern JVM_FILE =
      Pattern.compile(".*\\.(?:java|kt|kts|scala|groovy|clj)|Native Method|Unknown Source");
  private static final Pattern JVM_NAME = Pattern.compile("(?:.*/)?(?:[\\w$-]+\\.){2,}[\\w$<>-]+");
  // The suffixes that compilers append to the symbols of parts of a function.
  private static final Pattern CLONE =
      Pattern.compile(".*\\.(?:llvm|part|cold|constprop|isra|lto_priv)\\b.*");

  /** Splits a text of the form {@code name(file:line)}. */
  static Frame parse(String text) {
    int open = openingOfLast(text);
    if (open < 0) {
      return new Frame(text, "", 0, Language.NONE);
    }
    String name = text.substring(0, open);
    Matcher place = LINE.matcher(text.substring(open + 1, text.length() - 1));
    if (!place.matches() || (name.isEmpty() && place.group(2) == null)) {
      return new Frame(text, "", 0, Language.NONE);
    }
    String file = UNKNOWN_FILE.matcher(place.group(1)).replaceFirst("").replace('\\', '/');
    return new Frame(name, file, lineOf(place.group(2)), languageOf(name, file));
  }

  private static int lineOf(@Nullable String digits) {
    return digits == null ? 0 : digits.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }

  /** Returns whether a line is known, which only sources and debug information provide. */
  boolean hasLine() {
    return line > 0;
  }

  /** Returns the index of the parenthesis that the last character closes; -1 if there is none. */
  private static int openingOfLast(String text) {
    if (!text.endsWith(")")) {
      return -1;
    }
    int depth = 0;
    for (int i = text.length() - 1; i >= 0; i--) {
      char c = text.charAt(i);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  private static Language languageOf(String name, String file) {
    if (JVM_FILE.matcher(file).matches() || file.equals("<generated>")) {
      return Language.JVM;
    }
    if (PYTHON_FILE.matcher(file).matches() || PYTHON_NAME.matcher(name).matches()) {
      return Language.PYTHON;
    }
    boolean isDotted = JVM_NAME.matcher(name).matches() && !CLONE.matcher(name).matches();
    return file.isEmpty() && isDotted ? Language.JVM : Language.NATIVE;
  }
}
