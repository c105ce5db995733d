package org.vramkit.tools.owner;

import org.vramkit.api.owner.ProgramCode;

/** Tells a program on the JVM from the JDK, from Vramkit and from frameworks, by packages. */
final class JvmCode {
  private JvmCode() {}

  static Provenance of(Frame frame) {
    // The loader and the module come before the class, the method after it.
    String name = frame.name().substring(frame.name().lastIndexOf('/') + 1);
    String type = name.substring(0, Math.max(0, name.lastIndexOf('.')));
    if (ProgramCode.isGenerated(type)) {
      return Provenance.RUNTIME;
    }
    return ProgramCode.isProgram(type) ? Provenance.PROGRAM : Provenance.LIBRARY;
  }
}
