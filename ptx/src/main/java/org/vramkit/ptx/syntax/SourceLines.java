package org.vramkit.ptx.syntax;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.CodeLine;

/**
 * Lines of the source, from {@code .file} and {@code .loc}. Of inlined code of CUDA's own headers,
 * the line is that of the call.
 */
final class SourceLines {
  private final String ptx;
  private final Map<Integer, String> files = new HashMap<>();
  private @Nullable String file;
  private int line;

  SourceLines(String ptx) {
    this.ptx = ptx;
  }

  void file(int number, String quoted) {
    files.put(number, quoted.replace("\"", ""));
  }

  void beginFunction() {
    file = null;
    line = 0;
  }

  /** Reads what follows {@code .loc}. */
  void location(Tokens tokens) {
    int number = tokens.integer();
    int inFile = tokens.integer();
    tokens.integer();
    while (tokens.skip(",")) {
      if (tokens.skip("function_name")) {
        tokens.next();
        if (tokens.skip("+")) {
          tokens.integer();
        }
      } else {
        tokens.expect("inlined_at");
        int outer = tokens.integer();
        int outerLine = tokens.integer();
        tokens.integer();
        if (isOfCuda(files.get(number))) {
          number = outer;
          inFile = outerLine;
        }
      }
    }
    if (inFile > 0) {
      file = files.get(number);
      line = inFile;
    }
  }

  private static boolean isOfCuda(@Nullable String path) {
    return path != null && path.contains("cuda") && path.contains("/include/");
  }

  CodeLine at(int ptxLine) {
    return new CodeLine(ptx, ptxLine, file, file == null ? 0 : line);
  }
}
