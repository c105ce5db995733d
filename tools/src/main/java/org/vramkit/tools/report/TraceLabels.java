package org.vramkit.tools.report;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.vramkit.tools.trace.Trace;

/**
 * The labels of traces in tables: the name that the user gave, or its last part if the name is too
 * long for a column and the last part is unique.
 */
final class TraceLabels {
  /** Width of the column of labels; longer labels wrap. */
  static final int WIDTH = 24;

  private final Map<String, String> labels = new HashMap<>();

  TraceLabels(List<Trace> traces) {
    Set<String> seen = new HashSet<>();
    Set<String> repeated = new HashSet<>();
    List<String> names = traces.stream().map(TraceLabels::name).distinct().toList();
    for (String name : names) {
      if (!seen.add(shortened(name))) {
        repeated.add(shortened(name));
      }
    }
    for (String name : names) {
      labels.put(name, repeated.contains(shortened(name)) ? name : shortened(name));
    }
  }

  /** Returns the trace's name without control characters, which file names may contain. */
  static String name(Trace trace) {
    return trace.getName().replaceAll("\\p{Cntrl}", "?");
  }

  private static String shortened(String name) {
    int folder = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
    return name.length() <= WIDTH ? name : name.substring(folder + 1);
  }

  /** Returns the label of a trace. */
  String of(Trace trace) {
    String name = name(trace);
    return labels.getOrDefault(name, name);
  }
}
