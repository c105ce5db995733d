package org.vramkit.agent;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages of the host's preprocessor, which nvcc runs first, in the form that NVRTC gives them.
 */
final class CompilerLog {
  private static final String PLACE = "(?m)^(.+):(\\d+):\\d+: ";

  /** The line that follows a message if the preprocessor finds it. */
  private static final String SHOWN = "\\n(?: +\\d+ \\| .*\\n.*\\n)?";

  private static final Pattern ERROR = Pattern.compile(PLACE + "error: #error (.*)" + SHOWN);
  private static final Pattern WARNING =
      Pattern.compile(PLACE + "warning: #warning (.*) \\[-Wcpp\\]" + SHOWN);
  private static final Pattern HEADER =
      Pattern.compile(PLACE + "fatal error: (.+): No such file or directory" + SHOWN);
  private static final Pattern OPTION =
      Pattern.compile("(?m)^<command-line>: fatal error: (.+): No such file or directory\\n");

  private static final Pattern SPACE =
      Pattern.compile("__attribute__\\(\\((global|device|shared|constant|managed)\\)\\)");

  private static final String END =
      """


      1 catastrophic error detected in the compilation of "program.cu".
      Compilation terminated.
      """;

  private CompilerLog() {}

  /** Returns the log of NVRTC for what nvcc has printed. */
  static String ofNvrtc(String printed, String source, List<String> options) {
    Matcher error = ERROR.matcher(printed);
    if (error.find()) {
      return at(error, "catastrophic error: #error directive: " + error.group(3))
          + "  #error "
          + error.group(3)
          + "\n   ^"
          + END;
    }
    Matcher header = HEADER.matcher(printed);
    if (header.find()) {
      String file = header.group(3);
      boolean isListed = source.contains("<" + file + ">");
      boolean hasFolders =
          options.stream().anyMatch(each -> each.matches("(-I|--?include-path).*"));
      String said =
          isListed && !hasFolders
              ? "could not open source file \"%s\" (no directories in search list)"
              : "cannot open source file \"%s\"";
      String shown = "#include " + (isListed ? "<" + file + ">" : "\"" + file + "\"");
      return at(header, "catastrophic error: " + said.formatted(file))
          + ("  " + shown + "\n  ")
          + (" ".repeat(shown.length()) + "^")
          + END;
    }
    Matcher option = OPTION.matcher(printed);
    if (option.find()) {
      return "Command-line error: cannot open source file \"" + option.group(1) + "\"" + END;
    }
    return WARNING
        .matcher(withSpaces(printed.replaceAll("(?m)^nvcc warning .*\\n", "")))
        .replaceAll(
            "$1($2): warning #1105-D: #warning directive: $3\n  #warning $3\n   ^\n\n"
                + "Remark: The warnings can be suppressed with"
                + " \"-diag-suppress <warning-number>\"\n\n");
  }

  /** Shows execution spaces as the program has them; the preprocessor makes attributes of them. */
  private static String withSpaces(String log) {
    StringBuilder shown = new StringBuilder();
    int moved = 0;
    for (String line : log.split("(?<=\\n)", -1)) {
      boolean isMark = line.strip().equals("^");
      shown.append(isMark ? line.substring(Math.min(moved, line.indexOf('^'))) : "");
      if (!isMark) {
        String spaced = SPACE.matcher(line).replaceAll("__$1__");
        moved = line.length() - spaced.length();
        shown.append(spaced);
      }
    }
    return shown.toString();
  }

  private static String at(Matcher found, String message) {
    return found.group(1) + "(" + found.group(2) + "): " + message + "\n";
  }
}
