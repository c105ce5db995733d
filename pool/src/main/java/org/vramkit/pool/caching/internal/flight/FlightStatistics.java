package org.vramkit.pool.caching.internal.flight;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import org.vramkit.api.allocator.StreamStatistics;
import org.vramkit.api.allocator.TagUsage;
import org.vramkit.api.device.MemoryInfo;
import org.vramkit.api.error.Batch;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.GpuException;
import org.vramkit.pool.caching.internal.event.PoolObserver;
import org.vramkit.pool.caching.internal.flight.FlightEvents.PoolStatisticsEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.StreamStatisticsEvent;
import org.vramkit.pool.caching.internal.flight.FlightEvents.TagStatisticsEvent;

/**
 * Emits the statistics of all allocators of this JVM as periodic events. Does not start the
 * recorder, which would cost every program a tenth of a second, but adds the periodic events once
 * it is started. Tells {@link PoolObserver.All} whether a recording is running. Refers to
 * allocators weakly.
 */
final class FlightStatistics {
  private static final Map<Long, Entry> LOGS = new ConcurrentHashMap<>();

  /**
   * A log, and the ordinal of its device, which is needed once the log has been garbage collected.
   */
  private record Entry(int device, WeakReference<FlightLog> log) {}

  static {
    FlightRecorder.addListener(
        new FlightRecorderListener() {
          @Override
          public void recorderInitialized(FlightRecorder recorder) {
            lookForRecordings();
            // The event of the allocator comes last, so a reader that has it has those of its tags
            // too.
            FlightRecorder.addPeriodicEvent(
                TagStatisticsEvent.class, () -> each(FlightStatistics::emitTags));
            FlightRecorder.addPeriodicEvent(
                StreamStatisticsEvent.class, () -> each(FlightStatistics::emitStreams));
            FlightRecorder.addPeriodicEvent(
                PoolStatisticsEvent.class, () -> each(FlightStatistics::emitPool));
          }

          @Override
          public void recordingStateChanged(Recording recording) {
            lookForRecordings();
          }
        });
  }

  private FlightStatistics() {}

  private static void lookForRecordings() {
    each(FlightLog::manage);
    PoolObserver.All.setRecording(
        FlightRecorder.getFlightRecorder().getRecordings().stream()
            .anyMatch(each -> each.getState() == RecordingState.RUNNING));
  }

  static void add(FlightLog log) {
    LOGS.put(log.number, new Entry(log.device.getOrdinal(), new WeakReference<>(log)));
  }

  static void remove(FlightLog log) {
    LOGS.remove(log.number);
  }

  /** Calls an action for each allocator, even if it fails for one. */
  private static void each(Consumer<FlightLog> action) {
    Batch.forEach(
        LOGS.entrySet(),
        each -> {
          Entry entry = each.getValue();
          FlightLog log = entry.log().get();
          if (log == null) {
            LOGS.remove(each.getKey(), entry);
            FlightLog.forget(entry.device(), each.getKey());
          } else {
            action.accept(log);
          }
        });
  }

  private static void emitPool(FlightLog log) {
    PoolStatisticsEvent event = new PoolStatisticsEvent();
    if (event.shouldCommit()) {
      event.deviceName = log.device.getProperties().name();
      event.deviceTotal = log.device.getProperties().totalMemoryBytes();
      event.deviceUsed = usedBytes(log);
      event.fill(log.statistics.get());
      event.emit(log.device.getOrdinal(), log.number);
    }
  }

  private static long usedBytes(FlightLog log) {
    try {
      MemoryInfo info = log.device.getMemoryInfo();
      return info.getUsedBytes();
    } catch (GpuException | ClosedException e) {
      // The device is lost or its backend closed; the figures of the allocator are still valid.
      return -1;
    }
  }

  private static void emitTags(FlightLog log) {
    if (!new TagStatisticsEvent().isEnabled()) {
      return;
    }
    for (TagUsage usage : log.statistics.get().tags()) {
      TagStatisticsEvent event = new TagStatisticsEvent();
      event.fill(usage);
      event.emit(log.device.getOrdinal(), log.number);
    }
  }

  private static void emitStreams(FlightLog log) {
    if (!new StreamStatisticsEvent().isEnabled()) {
      return;
    }
    for (StreamStatistics share : log.statistics.get().streams()) {
      StreamStatisticsEvent event = new StreamStatisticsEvent();
      event.fill(share);
      event.emit(log.device.getOrdinal(), log.number);
    }
  }
}
