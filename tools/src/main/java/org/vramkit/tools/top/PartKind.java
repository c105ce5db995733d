package org.vramkit.tools.top;

import java.util.List;
import java.util.Locale;

/** A kind of part for scarce memory: its event, its name in JSON, and the columns of its table. */
enum PartKind {
  ADMISSION(
      "AdmissionStatistics",
      "admissions",
      List.of("capacityBytes", "grantedBytes", "usedBytes", "running", "waiting", "admitted")),
  SPILL_STORE(
      "SpillStatistics",
      "spillStores",
      List.of("onDeviceBytes", "onHostBytes", "onDiskBytes", "spilledBytes", "failures")),
  RETRY(
      "RetryStatistics",
      "retries",
      List.of("running", "blocked", "rolledBack", "tasks", "rollbacks", "splits")),
  WAITING_ALLOCATOR(
      "WaitingStatistics",
      "waitingAllocators",
      List.of("liveBytes", "waiting", "served", "failed"));

  final String event;
  final String json;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  final List<String> columns;

  PartKind(String event, String json, List<String> columns) {
    this.event = "org.vramkit." + event;
    this.json = json;
    this.columns = columns;
  }

  /** Returns the header of the column with the numbers of parts. */
  String header() {
    return name().replace('_', ' ').toUpperCase(Locale.ROOT);
  }
}
