/** PTX text, run on the JVM: modules, kernels, launches and checks of every access. */
module org.vramkit.ptx {
  requires static transitive org.jspecify;

  exports org.vramkit.ptx;
  exports org.vramkit.ptx.memory;
  exports org.vramkit.ptx.report;
}
