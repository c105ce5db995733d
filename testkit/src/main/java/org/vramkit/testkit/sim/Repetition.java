package org.vramkit.testkit.sim;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.vramkit.sim.SimBackend;

/** How to repeat a run: by the options that pin it, or by the program that it was. */
final class Repetition {
  private final ExtensionContext context;
  private final Run run;
  private final boolean recorded;

  Repetition(ExtensionContext context, Run run, boolean recorded) {
    this.context = context;
    this.run = run;
    this.recorded = recorded;
  }

  /** Stores the program of the run, and tells all of it in lines for the end of a message. */
  String store(SimBackend backend) {
    return store(backend, "");
  }

  /** The same for a run that is at fault for nothing but what it left held. */
  String storeLeaking(SimBackend backend) {
    return store(backend, "--leaks ");
  }

  private String store(SimBackend backend, String option) {
    String options = "repeat with " + run.toOptions();
    return recorded
        ? options + System.lineSeparator() + new FailedPrograms(context).store(backend, run, option)
        : options;
  }
}
