/** CUDA devices, based on a binding of the driver API. */
module org.vramkit.cuda {
  requires transitive org.vramkit.api;
  requires static transitive org.jspecify;

  exports org.vramkit.cuda;
  exports org.vramkit.cuda.driver;
}
