/** Guice bindings of Vramkit. */
module org.vramkit.guice {
  requires transitive com.google.guice;
  requires transitive org.vramkit.partition;
  requires transitive org.vramkit.pool;
  requires transitive org.vramkit.pressure;
  requires static transitive org.jspecify;
  requires jakarta.inject;

  exports org.vramkit.guice;
}
