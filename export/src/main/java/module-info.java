/** Exports snapshots and histories of allocators to formats of other tools. */
module org.vramkit.export {
  requires transitive org.vramkit.pool;
  requires static transitive org.jspecify;
  requires com.fasterxml.jackson.core;

  exports org.vramkit.export;

  provides org.vramkit.pool.caching.SnapshotWriter with
      org.vramkit.export.PickleSnapshotWriter;
}
