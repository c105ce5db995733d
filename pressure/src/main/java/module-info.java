/** Scarce memory: admission of jobs, allocations that wait, spilled buffers, tasks that retry. */
module org.vramkit.pressure {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;
  // For events of the flight recorder, if the JVM has it.
  requires static jdk.jfr;

  exports org.vramkit.pressure;
}
