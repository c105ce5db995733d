package org.vramkit.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.hazard.HazardReport;
import org.vramkit.sim.hazard.Owner;
import org.vramkit.sim.hazard.RunId;

/** Keeps the first reports, one for each cause, and counts all causes. */
public final class Reports {
  private static final class Entry {
    private final HazardReport report;
    private long times = 1;
    private final Map<Long, Owner> others = new LinkedHashMap<>(0);

    Entry(HazardReport report) {
      this.report = report;
    }

    void again(HazardReport next, boolean sameOperation) {
      times += sameOperation ? 0 : 1;
      Owner owner = next.memory();
      Owner first = report.memory();
      if (owner != null && (first == null || owner.address() != first.address())) {
        others.putIfAbsent(owner.address(), owner);
      }
    }

    HazardReport toReport() {
      return times == 1 && others.isEmpty()
          ? report
          : report.repeated(times, List.copyOf(others.values()));
    }
  }

  private final int limit;
  final RunId run;
  final SyncLog syncs;
  private final List<Entry> hazards = new ArrayList<>();
  private final List<Entry> warnings = new ArrayList<>();
  private final Map<Cause, Entry> byCause = new HashMap<>();

  /** Entries of the latest reported operation. */
  private final Map<Cause.Launch, Entry> byLaunch = new HashMap<>();

  private long count;
  private boolean muted;
  private final Set<Integer> mutedDevices = new HashSet<>(0);

  Reports(int limit, RunId run, SyncLog syncs) {
    this.limit = limit;
    this.run = run;
    this.syncs = syncs;
  }

  /** Begins a report, which counts once {@link HazardBuilder#report} is called. */
  HazardBuilder find(HazardCode code) {
    return new HazardBuilder(this, code);
  }

  /** Adds a report. A known cause only counts as repeated, and nothing is added once muted. */
  void add(DetectedHazard found) {
    Operation earlier = found.earlier();
    Operation later = found.later();
    if (muted || concernsMuted(found)) {
      return;
    }
    if (earlier == null || later == null) {
      put(found.report());
    } else {
      add(
          found.report(),
          Cause.of(found, earlier, later),
          new Cause.Launch(later.index(), earlier.stream));
    }
  }

  private boolean concernsMuted(DetectedHazard found) {
    Operation earlier = found.earlier();
    Operation later = found.later();
    return !mutedDevices.isEmpty()
        && (mutedDevices.contains(found.report().device())
            || (earlier != null && mutedDevices.contains(earlier.device()))
            || (later != null && mutedDevices.contains(later.device())));
  }

  /** Ignores what is found about a device from now on. */
  public void mute(int device) {
    mutedDevices.add(device);
  }

  /** Ignores everything found from now on. */
  public void mute() {
    muted = true;
  }

  private void add(HazardReport report, Cause cause, Cause.Launch launch) {
    Entry ofLaunch = byLaunch.get(launch);
    Entry known = ofLaunch == null ? byCause.get(cause) : ofLaunch;
    if (ofLaunch == null) {
      byLaunch.keySet().removeIf(other -> other.later() != launch.later());
    }
    if (known != null) {
      known.again(report, ofLaunch != null);
      byLaunch.put(launch, known);
      return;
    }
    Entry entry = put(report);
    if (byCause.size() < limit) {
      byCause.put(cause, entry);
    }
    byLaunch.put(launch, entry);
  }

  private Entry put(HazardReport report) {
    List<Entry> list = report.code().isWarning() ? warnings : hazards;
    if (!report.code().isWarning()) {
      count++;
    }
    Entry entry = new Entry(report);
    if (list.size() < limit) {
      int at = list.size();
      while (at > 0 && list.get(at - 1).report.later().index() > report.later().index()) {
        at--;
      }
      list.add(at, entry);
    }
    return entry;
  }

  public List<HazardReport> getHazards() {
    return hazards.stream().map(Entry::toReport).toList();
  }

  public List<HazardReport> getWarnings() {
    return warnings.stream().map(Entry::toReport).toList();
  }

  /** Returns the number of causes. */
  public long getCount() {
    return count;
  }

  public void clear() {
    hazards.clear();
    warnings.clear();
    byCause.clear();
    byLaunch.clear();
    count = 0;
  }

  /**
   * Identifies the reports of one fault: operations of the same names on the same streams,
   * submitted by the same lines where these are known.
   */
  private record Cause(
      HazardCode code, String earlier, String before, String later, String after, Object lines) {

    static Cause of(DetectedHazard found, Operation earlier, Operation later) {
      return new Cause(
          found.report().code(),
          earlier.name,
          earlier.stream.name,
          later.name,
          later.stream.name,
          earlier.lines(later));
    }

    /** Identifies the races of one operation, in several ranges, with work of one stream. */
    record Launch(long later, StreamClock earlier) {}
  }

  /**
   * A complete report.
   *
   * @param earlier the operation that should come first; null if order is not at issue
   * @param later the later one; null if order is not at issue
   */
  record DetectedHazard(
      HazardReport report, @Nullable Operation earlier, @Nullable Operation later) {
    /** Returns a closed gate that may order the two operations; null if there is none. */
    @Nullable GateOrder closedGate() {
      return earlier == null || later == null ? null : later.closedGateBetween(earlier);
    }

    /** Returns whether the opening of a gate has ordered the two operations. */
    boolean isGated() {
      return earlier != null && later != null && later.isGatedWith(earlier);
    }
  }
}
