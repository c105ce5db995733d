package org.vramkit.pool.caching.internal.flight;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
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

/**
 * Tells the statistics of all allocators of this JVM, as often as recordings want them. The
 * recorder is not started for it: that would cost every program a tenth of a second, so the hooks
 * are added once somebody else has started it. Tells allocators' observers when there is a
 * recording. Allocators are held weakly.
 */
final class FlightStatistics {
  private static final Map<Long, Entry> LOGS = new ConcurrentHashMap<>();

  /** A log, and what is left of one that was dropped. */
  private record Entry(int device, WeakReference<FlightLog> log) {}

  static {
    FlightRecorder.addListener(
        new FlightRecorderListener() {
          @Override
          public void recorderInitialized(FlightRecorder recorder) {
            lookForRecordings();
            // Asked in this order: a reader that has an allocator's event has its tags too.
            FlightRecorder.addPeriodicEvent(
                TagStatisticsEvent.class, () -> each(FlightStatistics::tellTags));
            FlightRecorder.addPeriodicEvent(
                StreamStatisticsEvent.class, () -> each(FlightStatistics::tellStreams));
            FlightRecorder.addPeriodicEvent(
                PoolStatisticsEvent.class, () -> each(FlightStatistics::tellPool));
          }

          @Override
          public void recordingStateChanged(Recording recording) {
            lookForRecordings();
          }
        });
  }

  private FlightStatistics() {}

  private static void lookForRecordings() {
    each((number, log) -> FlightRecording.manage(log));
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

  /** Goes on to the next allocator where one fails. */
  private static void each(BiConsumer<Long, FlightLog> action) {
    Batch.forEach(
        LOGS.entrySet(),
        each -> {
          Entry entry = each.getValue();
          FlightLog log = entry.log().get();
          if (log == null) {
            LOGS.remove(each.getKey(), entry);
            FlightRecording.forget(entry.device(), each.getKey());
          } else {
            action.accept(each.getKey(), log);
          }
        });
  }

  private static void tellPool(long number, FlightLog log) {
    PoolStatisticsEvent event = new PoolStatisticsEvent();
    if (event.shouldCommit()) {
      event.device = log.device.getOrdinal();
      event.allocator = number;
      event.deviceName = log.device.getProperties().name();
      event.deviceTotal = log.device.getProperties().totalMemoryBytes();
      event.deviceUsed = usedBytes(log);
      event.fill(log.statistics.get());
      event.commit();
    }
  }

  private static long usedBytes(FlightLog log) {
    try {
      MemoryInfo info = log.device.getMemoryInfo();
      return info.getUsedBytes();
    } catch (GpuException | ClosedException e) {
      // A device that is lost, or whose backend is closed: the allocator's own figures stay true.
      return -1;
    }
  }

  private static void tellTags(long number, FlightLog log) {
    if (!new TagStatisticsEvent().isEnabled()) {
      return;
    }
    for (TagUsage usage : log.statistics.get().tags()) {
      TagStatisticsEvent event = new TagStatisticsEvent();
      event.device = log.device.getOrdinal();
      event.allocator = number;
      event.fill(usage);
      event.commit();
    }
  }

  private static void tellStreams(long number, FlightLog log) {
    if (!new StreamStatisticsEvent().isEnabled()) {
      return;
    }
    for (StreamStatistics share : log.statistics.get().streams()) {
      StreamStatisticsEvent event = new StreamStatisticsEvent();
      event.device = log.device.getOrdinal();
      event.allocator = number;
      event.fill(share);
      event.commit();
    }
  }
}
