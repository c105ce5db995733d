package org.vramkit.tools;

import org.vramkit.tools.top.JvmConnection;
import picocli.CommandLine.Parameters;

/** The running JVM that a command is about. */
final class JvmTarget {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "JVM",
      defaultValue = "",
      description = "The number of its process, or HOST:PORT; by default the one with allocators.")
  private String name = "";

  /** Connects to it; by default to the one JVM of this user that has allocators. */
  JvmConnection connect() {
    return JvmConnection.to(name);
  }
}
