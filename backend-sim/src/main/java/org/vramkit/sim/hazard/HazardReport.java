package org.vramkit.sim.hazard;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One hazard, judged by the order that the API's rules guarantee, not by what happened to go well.
 *
 * @param code what kind
 * @param run what it takes to see it again: the same program in the same run gives the same report
 * @param device ordinal of the device whose memory is concerned; -1 if none can be told
 * @param memory whose memory it is; null if nobody's, or if none is concerned
 * @param previous whose it was before, where memory was recycled
 * @param address first byte in conflict; 0 if no memory is concerned
 * @param bytes how many bytes are in conflict
 * @param earlier the access that came first, if two are involved
 * @param later the access at which the hazard was found
 * @param missing what is missing, in words
 * @param nearest the synchronisation that exists and falls short; null if there is none near
 * @param remedy the cheapest fix, in words
 * @param link the page of the documentation that explains it, with its anchor, relative to the
 *     project: that of the code unless another section fits better
 * @param times how often it was found: by operations of these names on these streams
 * @param others whose memory else it was found in
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
  /** Where it is told what one thread of the host knows of what another waited for. */
  public static final String HOST_THREADS = "docs/simulator.md#host-threads";

  /** Refuses what is missing. */
  public HazardReport {
    Objects.requireNonNull(code, "code");
    Objects.requireNonNull(run, "run");
    Objects.requireNonNull(later, "later");
    Objects.requireNonNull(missing, "missing");
    Objects.requireNonNull(remedy, "remedy");
    Objects.requireNonNull(link, "link");
    others = List.copyOf(Objects.requireNonNull(others, "others"));
  }

  /** One that was found once. */
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
   * How far into its owner's memory the conflict begins, in bytes; negative if it begins before.
   * The address itself if the memory is nobody's.
   */
  public long getOffset() {
    return memory == null ? address : address - memory.address();
  }

  /** The same, found so often, and in other memory too. */
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

  /** The report as one JSON object; the shape is described in docs/simulator.md. */
  public String toJson() {
    return ReportJson.of(this);
  }

  /** The report on one screen: at most 40 lines. */
  @Override
  public String toString() {
    return new HazardText(this).write();
  }
}
