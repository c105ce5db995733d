/** Vramkit's statistics as Micrometer meters. */
module org.vramkit.micrometer {
  requires transitive micrometer.core;
  requires transitive org.vramkit.pool;
  requires transitive org.vramkit.pressure;
  requires static transitive org.jspecify;

  exports org.vramkit.micrometer;
}
