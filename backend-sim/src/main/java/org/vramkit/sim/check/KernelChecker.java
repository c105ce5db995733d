package org.vramkit.sim.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.ptx.report.AccessedRange;
import org.vramkit.ptx.report.Finding;
import org.vramkit.ptx.report.FindingKind;
import org.vramkit.ptx.report.Footprint;
import org.vramkit.sim.check.Owners.BlockMap;
import org.vramkit.sim.driver.Fault;
import org.vramkit.sim.hazard.AccessKind;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Checks launches of kernels whose code has run. The exact ranges of their accesses obey the rules
 * of {@link AccessChecker}; what a launch contains by itself becomes a report of its own. Guarded
 * by the backend's lock.
 */
public final class KernelChecker extends MemoryRules {
  private final AccessChecker work;

  /** The faults that were reported. A loop that launches a faulty kernel gives one report. */
  private final Set<String> reported = new HashSet<>();

  KernelChecker(MemoryRules shared, AccessChecker work) {
    super(shared);
    this.work = work;
  }

  /**
   * Returns the end of the owned bytes at an address, at most {@code limit}: a kernel may access
   * them, and no others. Returns the address itself if it has no owner.
   */
  public long ownedEnd(long address, long limit, Operation by) {
    if (isUnbound(address, by)) {
      return limit;
    }
    OwnedBlock block = ownerAt(address, by.node() != null);
    return block == null ? address : Math.min(limit, block.end);
  }

  /** Returns the start of the owned bytes at an address, at least {@code limit}. */
  public long ownedStart(long address, long limit, Operation by) {
    OwnedBlock block = isUnbound(address, by) ? null : ownerAt(address, by.node() != null);
    return block == null ? limit : Math.max(limit, block.start);
  }

  /**
   * Returns whether a pool divides a reservation into blocks. Mapped memory of a program has no
   * owner that would bound a kernel.
   */
  public boolean isDivided(long start, long end) {
    return owners.pools.overlapping(start, end) != null
        || owners.pools.freed.overlapping(start, end) != null;
  }

  /**
   * Returns whether owners do not bound a kernel at an address: nothing is checked, or the memory
   * has changed hands since the submission of a launch that runs late.
   */
  private boolean isUnbound(long address, Operation by) {
    if (!enabled || hosts.isInPool()) {
      return true;
    }
    OwnedBlock latest = owners.latestAt(address);
    if (latest == null) {
      return false;
    }
    Operation free = latest.freed;
    return (free == null ? latest.allocated : free).isEnteredAfter(by);
  }

  private @Nullable OwnedBlock ownerAt(long address, boolean isGraph) {
    BlockMap pool = owners.poolAt(address);
    OwnedBlock block = pool.liveContaining(address);
    if (block != null) {
      return block;
    }
    OwnedBlock freed = pool.freed.containing(address);
    if (freed != null) {
      return isGraph && freed.captured ? freed : null;
    }
    block = owners.liveContaining(address);
    return block == null ? owners.host.liveContaining(address) : block;
  }

  /**
   * Checks the accesses of a launch to global memory.
   *
   * @return whether a real device could continue
   */
  public boolean check(Operation by, int device, Footprint footprint) {
    boolean legal = true;
    by.ran(new KernelLines(footprint));
    by.begin();
    for (AccessedRange each : footprint.reads()) {
      legal &= check(each, by, (start, bytes) -> work.read(by, device, start, bytes));
    }
    for (AccessedRange each : footprint.writes()) {
      legal &= check(each, by, (start, bytes) -> work.write(by, device, start, bytes));
    }
    for (AccessedRange each : footprint.atomics()) {
      legal &= check(each, by, (start, bytes) -> work.change(by, device, start, bytes));
    }
    by.settle();
    return legal;
  }

  @FunctionalInterface
  private interface RangeCheck {
    boolean check(long start, long bytes);
  }

  /** Checks a range in parts, because it may span adjacent blocks of several owners. */
  private boolean check(AccessedRange range, Operation by, RangeCheck rule) {
    boolean legal = true;
    long end = range.address() + range.bytes();
    for (long start = range.address(); start < end; ) {
      long owned = ownedEnd(start, end, by);
      long next = owned > start ? owned : end;
      legal &= rule.check(start, next - start);
      start = next;
    }
    return legal;
  }

  /**
   * Reports what is wrong within a launch.
   *
   * @return how a real device would fail; null if it could continue
   */
  public @Nullable Fault report(Operation by, int device, List<Finding> findings) {
    Fault fault = null;
    for (Finding each : findings) {
      // Bytes whose value has no effect are no fault: old reductions over a warp read such.
      boolean counts = enabled && each.kind() != FindingKind.UNWRITTEN_UNUSED;
      boolean isAccess = each.kind() == FindingKind.OUT_OF_BOUNDS && isGlobal(each);
      boolean legal = enabled || !(isAccess || each.kind() == FindingKind.MISALIGNED);
      if (counts && reported.add(identity(by, each))) {
        legal &= isAccess ? access(by, device, each) : add(by, device, each);
      }
      if (!legal && fault == null) {
        fault = each.kind() == FindingKind.MISALIGNED ? Fault.MISALIGNED : Fault.FATAL;
      }
    }
    return fault;
  }

  private static String identity(Operation by, Finding finding) {
    // The two sides of a race may be found in either order.
    String one = finding.line().toString();
    String other = String.valueOf(finding.otherLine());
    boolean swapped = one.compareTo(other) > 0;
    return by.name + finding.kind() + (swapped ? other + one : one + other);
  }

  private static boolean isGlobal(Finding finding) {
    return finding.space().equals("global");
  }

  /** Reports an access by the rule of memory that it breaks; the rules explain most. */
  private boolean access(Operation by, int device, Finding finding) {
    by.ran(
        new KernelLines(
            new Footprint(
                List.of(
                    new AccessedRange(
                        finding.address(), Math.max(1, finding.bytes()), finding.line())),
                List.of(),
                List.of())));
    by.says(finding.message());
    long before = reports.getCount();
    boolean legal = work.read(by, device, finding.address(), Math.max(1, finding.bytes()));
    by.says("");
    return reports.getCount() == before ? add(by, device, finding) : legal;
  }

  private boolean add(Operation by, int device, Finding finding) {
    long address = isGlobal(finding) ? finding.address() : 0;
    by.ranAt(finding.line().toString());
    HazardBuilder report = reports.find(codeOf(finding.kind())).on(device);
    if (address != 0) {
      report = report.in(ownerAt(address, /* isGraph= */ false)).on(device);
    }
    report
        .later(by, AccessKind.READ, 0, 0)
        .at(address, address == 0 ? 0 : address + finding.bytes())
        .missing(
            finding.message() + (finding.count() > 1 ? " (" + finding.count() + " times)" : ""))
        .report(remedyOf(finding.kind()));
    by.ranAt("");
    return switch (finding.kind()) {
      case TRAP, HANG, OUT_OF_BOUNDS, MISALIGNED -> false;
      default -> true;
    };
  }

  private static HazardCode codeOf(FindingKind kind) {
    return switch (kind) {
      case OUT_OF_BOUNDS -> HazardCode.KERNEL_OUT_OF_BOUNDS;
      case MISALIGNED -> HazardCode.KERNEL_MISALIGNED;
      case UNWRITTEN, UNWRITTEN_UNUSED -> HazardCode.KERNEL_UNINIT_READ;
      case RACE -> HazardCode.KERNEL_RACE;
      case WARP_SYNCHRONOUS -> HazardCode.KERNEL_WARP_SYNCHRONOUS;
      case BARRIER -> HazardCode.KERNEL_BARRIER;
      case WARP_MASK -> HazardCode.KERNEL_WARP_MASK;
      case TRAP -> HazardCode.KERNEL_TRAP;
      case HANG -> HazardCode.KERNEL_HANG;
    };
  }

  private static String remedyOf(FindingKind kind) {
    return switch (kind) {
      case OUT_OF_BOUNDS -> "compare the index with the size before the access";
      case MISALIGNED -> "align the address to the size of the access, or access smaller parts";
      case UNWRITTEN, UNWRITTEN_UNUSED -> "write the bytes before any thread reads them";
      case RACE -> "put a barrier between the two accesses, or make both atomic";
      case WARP_SYNCHRONOUS -> "put __syncwarp() between the two accesses";
      case BARRIER -> "let all threads of the block reach the same barrier";
      case WARP_MASK -> "pass the mask of the lanes that execute the function";
      case TRAP -> "make the condition of the assert or trap hold";
      case HANG -> "make the loop end, or let each thread reach what the others wait for";
    };
  }
}
