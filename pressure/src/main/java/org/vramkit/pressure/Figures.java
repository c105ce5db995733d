package org.vramkit.pressure;

import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.vramkit.api.device.Device;
import org.vramkit.api.error.Batch;

/**
 * The open objects of this module, called parts, whose statistics the flight recorder and {@code
 * vramkit top} show. Keeps weak references, and loads classes of {@code jdk.jfr} only in a JVM that
 * has them. Reads statistics only while a recording is enabled.
 */
final class Figures {
  /** Open parts. Guarded by itself. */
  private static final Map<Object, Reading<?, ?>> PARTS = new WeakHashMap<>();

  private static final boolean RECORDED = isRecorded();

  /** The latest number. Guarded by {@link #PARTS}. */
  private static long latest;

  private Figures() {}

  /**
   * Reads the statistics of a part, to which it keeps no reference.
   *
   * @param number the part's number in this JVM, from 1
   */
  record Reading<T, S>(
      long number, Device device, Class<T> part, Class<S> kind, Function<T, S> reader) {
    S of(Object subject) {
      return reader.apply(part.cast(subject));
    }
  }

  private static boolean isRecorded() {
    try {
      Class<?> event = Class.forName("jdk.jfr.Event", false, Figures.class.getClassLoader());
      if (!Figures.class.getModule().canRead(event.getModule())) {
        return false;
      }
    } catch (ClassNotFoundException e) {
      return false;
    }
    FlightFigures.listen();
    return true;
  }

  /**
   * Shows the figures of a part from now on.
   *
   * @param reader must not capture the part, which could then not be garbage collected
   */
  static <T, S> void show(
      T part, Class<T> type, Device device, Class<S> kind, Function<T, S> reader) {
    if (RECORDED) {
      synchronized (PARTS) {
        PARTS.put(part, new Reading<>(++latest, device, type, kind, reader));
      }
    }
  }

  /** Stops showing the figures of a part, at its close. A garbage-collected part needs no call. */
  static void hide(Object part) {
    synchronized (PARTS) {
      PARTS.remove(part);
    }
  }

  /** Calls an action with each part's statistics of this kind, even if one call fails. */
  static <S> void each(Class<S> kind, BiConsumer<Reading<?, ?>, S> action) {
    Map<Object, Reading<?, ?>> open;
    synchronized (PARTS) {
      open = new HashMap<>(PARTS);
    }
    open.values().removeIf(each -> each.kind != kind);
    Batch.forEach(
        open.entrySet(),
        each -> action.accept(each.getValue(), kind.cast(each.getValue().of(each.getKey()))));
  }
}
