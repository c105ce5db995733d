/** Divides work over several GPUs and runs it. */
module org.vramkit.partition {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;

  exports org.vramkit.partition.device;
  exports org.vramkit.partition.plan;
  exports org.vramkit.partition.scatter;
}
