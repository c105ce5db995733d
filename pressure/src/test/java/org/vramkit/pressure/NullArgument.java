package org.vramkit.pressure;

/** Provides null as an argument for tests of misuse. */
final class NullArgument {
  private NullArgument() {}

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  static <T> T of() {
    return null;
  }
}
