/** The Vramkit API: devices, streams, allocators, and the discovery of backends. */
@SuppressWarnings("module") // The modules that see a package are compiled later.
module org.vramkit.api {
  requires static transitive org.jspecify;
  // For events of the flight recorder, if the JVM has it.
  requires static jdk.jfr;

  exports org.vramkit.api;
  exports org.vramkit.api.allocator;
  exports org.vramkit.api.device;
  exports org.vramkit.api.discovery;
  exports org.vramkit.api.error;
  exports org.vramkit.api.flight to
      org.vramkit.pool,
      org.vramkit.pressure;
  exports org.vramkit.api.owner;
  exports org.vramkit.api.spi;
  exports org.vramkit.api.units;

  uses org.vramkit.api.spi.BackendProvider;
}
