package org.vramkit.ptx.syntax;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.CodeLine;

/**
 * Lines of the source, from {@code .file} and {@code .loc}. Of inlined code of CUDA's own headers,
 * the line is that of the call outside of them.
 */
final class SourceLines {
  private final String ptx;
  private final Map<Integer, String> files = new HashMap<>();

  /** In the current function: where a position within inlined code was inlined. */
  private final Map<Position, Position> callers = new HashMap<>();

  private @Nullable String file;
  private int line;

  private record Position(int file, int line, int column) {
    static Position of(Tokens tokens) {
      return new Position(tokens.integer(), tokens.integer(), tokens.integer());
    }
  }

  SourceLines(String ptx) {
    this.ptx = ptx;
  }

  void file(int number, String quoted) {
    files.put(number, quoted.replace("\"", ""));
  }

  void beginFunction() {
    callers.clear();
    file = null;
    line = 0;
  }

  /** Reads what follows {@code .loc}. */
  void location(Tokens tokens) {
    Position at = Position.of(tokens);
    while (tokens.skip(",")) {
      if (tokens.skip("function_name")) {
        tokens.next();
        if (tokens.skip("+")) {
          tokens.integer();
        }
      } else {
        tokens.expect("inlined_at");
        callers.put(at, Position.of(tokens));
      }
    }
    // A header that calls itself may be inlined twice: no position is followed twice.
    Set<Position> seen = new HashSet<>();
    while (isOfCuda(at) && callers.containsKey(at) && seen.add(at)) {
      at = callers.get(at);
    }
    if (at.line > 0) {
      file = files.get(at.file);
      line = at.line;
    }
  }

  private boolean isOfCuda(Position at) {
    return CodeLine.isOfCuda(files.get(at.file));
  }

  CodeLine at(int ptxLine) {
    return new CodeLine(ptx, ptxLine, file, file == null ? 0 : line);
  }
}
