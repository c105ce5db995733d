/** Device memory for native code: C allocation functions, and tensors by DLPack. */
module org.vramkit.interop {
  requires transitive org.vramkit.api;
  requires transitive org.vramkit.pool;
  requires org.vramkit.cuda;
  requires static transitive org.jspecify;

  exports org.vramkit.interop;
}
