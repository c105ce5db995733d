package org.vramkit.sim.replay;

/** In which list of the simulator a report stands. */
public enum ReportKind {
  /** A hazard. */
  HAZARD("getHazards().forEach(System.out::println)"),
  /** A legal use that is probably wrong. */
  WARNING("getWarnings().forEach(System.out::println)"),
  /** A thing that is held in the end. */
  LEAK("getLeaks().forEach(System.out::println)");

  private final String printing;

  ReportKind(String printing) {
    this.printing = printing;
  }

  /** The call of a simulator that prints the list. */
  String getPrinting() {
    return printing;
  }
}
