package org.vramkit.tools.owner;

/** Whose code a frame belongs to, the least interesting first. */
enum Provenance {
  /** A recorder, an interpreter, or what starts threads and programs. */
  RUNTIME,
  /** Code that is installed or generated, and allocates on behalf of the program. */
  LIBRARY,
  /** A framework that runs from its sources: the program only if there is no other. */
  CHECKOUT,
  PROGRAM
}
