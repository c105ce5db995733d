/** Work divided over several GPUs: which devices, how much each, and running it. */
module org.vramkit.partition {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;

  exports org.vramkit.partition.device;
  exports org.vramkit.partition.plan;
  exports org.vramkit.partition.scatter;
}
