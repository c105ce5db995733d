/** CUDA devices through the JavaCPP presets. */
module org.vramkit.javacpp {
  requires transitive org.vramkit.api;
  requires org.vramkit.cuda;
  requires transitive org.bytedeco.cuda;
  requires transitive org.bytedeco.javacpp;
  requires static transitive org.jspecify;

  exports org.vramkit.javacpp;

  provides org.vramkit.api.spi.BackendProvider with
      org.vramkit.javacpp.JavaCppBackendProvider;
}
