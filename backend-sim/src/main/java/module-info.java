/** The simulated GPU: a backend in virtual time, with a checker. */
module org.vramkit.sim {
  requires transitive org.vramkit.api;
  requires org.vramkit.ptx;
  requires java.management;
  requires com.fasterxml.jackson.core;
  requires static transitive org.jspecify;

  exports org.vramkit.sim;
  exports org.vramkit.sim.driver;
  exports org.vramkit.sim.hazard;
  exports org.vramkit.sim.recording;
  exports org.vramkit.sim.schedule;
  exports org.vramkit.sim.thread;

  provides org.vramkit.api.spi.BackendProvider with
      org.vramkit.sim.SimBackendProvider;
}
