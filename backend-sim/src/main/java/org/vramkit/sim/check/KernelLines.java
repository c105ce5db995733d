package org.vramkit.sim.check;

import java.util.List;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Footprint;
import org.vramkit.sim.hazard.AccessKind;

/** The lines of a kernel that accessed ranges of global memory. */
final class KernelLines {
  private final Footprint footprint;

  KernelLines(Footprint footprint) {
    this.footprint = footprint;
  }

  /** Returns the line of the access to an address; empty if it is unknown. */
  String of(AccessKind kind, long address) {
    return switch (kind) {
      case READ -> find(footprint.reads(), address);
      case WRITE -> find(footprint.writes(), address);
      case ATOMIC -> find(footprint.atomics(), address);
      case ALLOCATE, FREE, UNMAP, RECORD -> "";
    };
  }

  private static String find(List<AccessedRange> ranges, long address) {
    for (AccessedRange each : ranges) {
      if (address >= each.address() && address < each.address() + each.bytes()) {
        return each.line().toString();
      }
    }
    return "";
  }
}
