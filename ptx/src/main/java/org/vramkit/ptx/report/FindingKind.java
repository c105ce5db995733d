package org.vramkit.ptx.report;

/** Kinds of errors that a launch can contain. */
public enum FindingKind {
  /** An access to an address without memory, or outside of its variable. */
  OUT_OF_BOUNDS,
  /** An access to an address that is not a multiple of the size of the access. */
  MISALIGNED,
  /** A read of shared or local bytes that no thread has written. */
  UNWRITTEN,
  /** A read of shared bytes that no thread has written, whose value has no effect. */
  UNWRITTEN_UNUSED,
  /** Two accesses of different threads, one of them a write, without an order between them. */
  RACE,
  /**
   * Accesses of two threads of a warp that only the lockstep of the warp orders. Results are right
   * where a warp runs in lockstep, as before Volta; {@code __syncwarp} makes them right everywhere.
   */
  WARP_SYNCHRONOUS,
  /** A barrier of a block that some threads do not reach. */
  BARRIER,
  /** The mask of a warp's function names lanes that do not execute it, or omits one that does. */
  WARP_MASK,
  /** A failed {@code assert} of the kernel, or its trap. */
  TRAP,
  /** Threads that wait for each other, or run for longer than the limit. */
  HANG
}
