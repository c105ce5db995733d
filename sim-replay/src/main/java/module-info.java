/** Recorded programs of the simulated GPU: run again, shrunk, printed as Java. */
module org.vramkit.sim.replay {
  requires transitive org.vramkit.sim;
  requires com.fasterxml.jackson.annotation;
  requires com.fasterxml.jackson.core;
  requires com.fasterxml.jackson.databind;
  requires static transitive org.jspecify;

  exports org.vramkit.sim.replay;

  opens org.vramkit.sim.replay to
      com.fasterxml.jackson.databind;
}
