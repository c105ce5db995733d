/** Scopes, coroutines and arrays for Kotlin. */
module org.vramkit.kotlin {
  requires transitive kotlin.stdlib;
  requires transitive org.vramkit.partition;
  requires transitive org.vramkit.pool;
  requires kotlinx.coroutines.core;

  exports org.vramkit.kotlin;
}
