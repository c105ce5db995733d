/** Snapshots and histories of allocators, written for other tools. */
module org.vramkit.export {
  requires transitive org.vramkit.pool;
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.core;

  exports org.vramkit.export;

  provides org.vramkit.pool.caching.SnapshotWriter with
      org.vramkit.export.PickleSnapshotWriter;
}
