package org.vramkit.ptx;

import java.util.List;
import org.vramkit.ptx.report.Finding;
import org.vramkit.ptx.report.Footprint;

/**
 * The result of a launch.
 *
 * @param completed whether all threads have run to their end; a trap, a hang or the limit of steps
 *     ends a launch early, and the last finding says why
 * @param findings the errors that the launch contains, in the order in which they occurred
 * @param footprint the accesses to global memory; empty if the launch was not checked
 * @param instructions executed instructions; each thread's counts one
 */
public record LaunchResult(
    boolean completed, List<Finding> findings, Footprint footprint, long instructions) {
  /** Creates a result. */
  public LaunchResult {
    findings = List.copyOf(findings);
  }
}
