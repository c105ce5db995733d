package org.vramkit.sim.replay;

/** The lists of reports of a simulator. */
public enum ReportKind {
  /** A hazard. */
  HAZARD("getHazards().forEach(System.out::println)"),
  /** A warning. */
  WARNING("getWarnings().forEach(System.out::println)"),
  /** A leak. */
  LEAK("getLeaks().forEach(System.out::println)");

  private final String printing;

  ReportKind(String printing) {
    this.printing = printing;
  }

  /** Returns the call that prints the list. */
  String getPrinting() {
    return printing;
  }
}
