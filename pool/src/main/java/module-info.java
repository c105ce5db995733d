/** The caching allocator and what is built on it. */
module org.vramkit.pool {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;

  exports org.vramkit.pool.caching;
}
