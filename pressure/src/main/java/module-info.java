/** Scarce memory: admission of jobs, allocations that wait, spilled buffers, tasks that retry. */
module org.vramkit.pressure {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;

  exports org.vramkit.pressure;
}
