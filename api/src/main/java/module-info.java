/** The Vramkit API: devices, streams, allocators, and the discovery of backends. */
module org.vramkit.api {
  requires static transitive org.jspecify;

  exports org.vramkit.api;
  exports org.vramkit.api.allocator;
  exports org.vramkit.api.device;
  exports org.vramkit.api.discovery;
  exports org.vramkit.api.error;
  exports org.vramkit.api.spi;
  exports org.vramkit.api.units;

  uses org.vramkit.api.spi.BackendProvider;
}
