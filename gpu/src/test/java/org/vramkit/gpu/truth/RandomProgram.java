package org.vramkit.gpu.truth;

import java.util.List;

/** A program of random calls, whose answers do not depend on time. */
@FunctionalInterface
interface RandomProgram {
  /** Runs the program; returns the answer of each call. */
  List<String> run();
}
