package org.vramkit.sim.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A program that is correct as it stands, and wrong without any one of its synchronisations.
 *
 * @param title what it does
 * @param lines in the order of execution
 */
record CorrectProgram(String title, List<Line> lines) {

  CorrectProgram {
    lines = List.copyOf(lines);
  }

  static CorrectProgram of(String title, Line... lines) {
    return new CorrectProgram(title, List.of(lines));
  }

  /** The numbers of the lines that are synchronisation, from 0. */
  List<Integer> needed() {
    return IntStream.range(0, lines.size())
        .filter(line -> lines.get(line).isNeeded())
        .boxed()
        .toList();
  }

  /** The same program with a line removed. */
  CorrectProgram without(int line) {
    List<Line> rest = new ArrayList<>(lines);
    Line removed = rest.remove(line);
    return new CorrectProgram(title + ", without '" + removed + "'", rest);
  }

  /** Runs all lines. */
  void run(Stage stage) {
    lines.forEach(line -> line.action().accept(stage));
  }
}
