package org.vramkit.cuda;

/** Formats driver version numbers, such as 11020 for CUDA 11.2. */
final class DriverVersion {
  private DriverVersion() {}

  /** Returns a version as text, such as {@code CUDA 11.2}. */
  static String text(int version) {
    return "CUDA " + version / 1000 + "." + version % 1000 / 10;
  }
}
