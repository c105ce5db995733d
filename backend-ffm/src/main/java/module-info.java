/** CUDA devices through the JDK's foreign function interface. */
module org.vramkit.ffm {
  requires transitive org.vramkit.api;
  requires org.vramkit.cuda;
  requires static transitive org.jspecify;

  exports org.vramkit.ffm;

  provides org.vramkit.api.spi.BackendProvider with
      org.vramkit.ffm.FfmBackendProvider;
}
