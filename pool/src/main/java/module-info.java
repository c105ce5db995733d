/**
 * The caching allocator, other allocators and decorators, and pools of buffers, streams and
 * workspaces.
 */
module org.vramkit.pool {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;
  // For flight recorder events, if the JVM has the module.
  requires static jdk.jfr;
  // For MXBeans, if the JVM has the module.
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
