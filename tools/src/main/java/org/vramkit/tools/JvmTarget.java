package org.vramkit.tools;

import org.vramkit.tools.top.JvmConnection;
import picocli.CommandLine.Parameters;

/** Adds the parameter that names a running JVM to a command. */
final class JvmTarget {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "JVM",
      defaultValue = "",
      description =
          "Process id, or HOST:PORT. Default: the one JVM of this user that has allocators.")
  private String name = "";

  /** Connects to the named JVM, or to the one JVM of this user that has allocators. */
  JvmConnection connect() {
    return JvmConnection.to(name);
  }
}
