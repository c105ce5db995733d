/** The caching allocator and what is built on it. */
module org.vramkit.pool {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;
  // Events of the flight recorder, where there is one.
  requires static jdk.jfr;
  // Beans of its management, where it is there.
  requires static java.management;

  exports org.vramkit.pool.buffer;
  exports org.vramkit.pool.caching;
  exports org.vramkit.pool.decorator;
  exports org.vramkit.pool.direct;
  exports org.vramkit.pool.driverpool;
  exports org.vramkit.pool.pinned;
  exports org.vramkit.pool.stream;
  exports org.vramkit.pool.streamordered;
  exports org.vramkit.pool.workspace;

  uses org.vramkit.pool.caching.SnapshotWriter;
}
