package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A hazard. The checker finds hazards by the order that the API guarantees, so a hazard is found
 * even if the work happened to run in a harmless order.
 *
 * @param code the kind of hazard
 * @param run the seed and schedule, with which the same program gives the same report
 * @param device ordinal of the device that owns the memory; -1 if there is none
 * @param memory the owner of the memory; null if it has none, or if no memory is concerned
 * @param previous the previous owner of reused memory; null if the memory was not reused
 * @param address first byte in conflict; 0 if no memory is concerned
 * @param bytes number of bytes in conflict
 * @param earlier the access that came first; null if only one is involved
 * @param later the access at which the hazard was found
 * @param missing the missing order or memory, in words
 * @param nearest the synchronization that comes nearest to ordering the accesses; null if there is
 *     none
 * @param remedy the cheapest fix, in words
 * @param link the page and anchor of the documentation that explains the hazard, relative to the
 *     project
 * @param times how often the hazard was found, for operations of these names on these streams
 * @param others other memory in which the hazard was found
 */
public record HazardReport(
    HazardCode code,
    RunId run,
    int device,
    @Nullable Owner memory,
    @Nullable Owner previous,
    long address,
    long bytes,
    @Nullable Access earlier,
    Access later,
    String missing,
    @Nullable NearestOrder nearest,
    String remedy,
    String link,
    long times,
    List<Owner> others) {
  /** The section of the documentation about the order between host threads. */
  public static final String HOST_THREADS = "docs/simulator.md#host-threads";

  /** Checks that nothing required is null, and copies the list. */
  public HazardReport {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(later, "later");
    Objects.requireNonNull(missing, "missing");
    Objects.requireNonNull(remedy, "remedy");
    Objects.requireNonNull(link, "link");
    others = List.copyOf(Objects.requireNonNull(others, "others"));
  }

  /** Creates a hazard that was found once. */
  public HazardReport(
      HazardCode code,
      RunId run,
      int device,
      @Nullable Owner memory,
      @Nullable Owner previous,
      long address,
      long bytes,
      @Nullable Access earlier,
      Access later,
      String missing,
      @Nullable NearestOrder nearest,
      String remedy,
      String link) {
    this(
        code, run, device, memory, previous, address, bytes, earlier, later, missing, nearest,
        remedy, link, 1, List.of());
  }

  /**
   * Returns the distance of the conflict from the start of its memory in bytes, negative before it;
   * the address itself if the memory has no owner.
   */
  public long getOffset() {
    return memory == null ? address : address - memory.address();
  }

  /** Returns a copy with another number of times, and with other memory added. */
  public HazardReport repeated(long howOften, List<Owner> elsewhere) {
    return new HazardReport(
        code,
        run,
        device,
        memory,
        previous,
        address,
        bytes,
        earlier,
        later,
        missing,
        nearest,
        remedy,
        link,
        howOften,
        Objects.requireNonNull(elsewhere, "elsewhere"));
  }

  /** Returns the report as one JSON object; docs/simulator.md describes its shape. */
  public String toJson() {
    return ReportJson.of(this);
  }

  /** Returns the report on one screen: at most 40 lines. */
  @Override
  public String toString() {
    return new HazardText(this).write();
  }
}
