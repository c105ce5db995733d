package org.vramkit.api.flight;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.vramkit.api.error.Batch;

/**
 * Publishes the statistics of open objects of one kind, such as allocators, while the flight
 * recorder records. Refers to the objects weakly, and reads nothing without a recording. Refers to
 * no class of {@code jdk.jfr}, so a JVM without it can load this class. Thread-safe.
 *
 * @param <T> the type of the objects
 * @param <S> the type of a reading of their statistics
 */
public abstract class StatisticsPublisher<T, S> {
  private static final boolean RECORDED = isRecorded();

  /** Sums of the changes by this copy of the class to each count, by system property. */
  private static final Map<String, Long> COUNTS = new ConcurrentHashMap<>();

  /** The newest numbers that this copy of the class has given, by system property. */
  private static final Map<String, Long> NEWEST = new ConcurrentHashMap<>();

  /** The name of the field with the number of an object. */
  final String number;

  private final Map<Long, Shown<T>> shown = new ConcurrentHashMap<>();
  private final ReferenceQueue<T> collected = new ReferenceQueue<>();

  /** True if events are defined at the start of the recorder. Guarded by the monitor. */
  private boolean begun;

  private static final class Shown<T> extends WeakReference<T> {
    private final long id;

    Shown(T subject, long id, ReferenceQueue<T> collected) {
      super(subject, collected);
      this.id = id;
    }
  }

  /**
   * Creates a publisher of no objects.
   *
   * @param number the name of the field with the number of an object
   */
  protected StatisticsPublisher(String number) {
    this.number = number;
  }

  /**
   * Returns whether this JVM has the flight recorder. A native image does not count, because it
   * cannot define the classes of events.
   */
  private static boolean isRecorded() {
    try {
      ClassLoader loader = StatisticsPublisher.class.getClassLoader();
      Class<?> event = Class.forName("jdk.jfr.Event", false, loader);
      return System.getProperty("org.graalvm.nativeimage.imagecode") == null
          && StatisticsPublisher.class.getModule().canRead(event.getModule());
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Adds to a count in a system property. All class loaders of this JVM that have a copy of Vramkit
   * share the count. It is at least what this copy has added, even if a program restores its system
   * properties, as tests do.
   *
   * @param property the name of the property; the count is 0 until it is set
   */
  public static void count(String property, long change) {
    Properties properties = System.getProperties();
    synchronized (properties) {
      long own = COUNTS.getOrDefault(property, 0L);
      long sum = Math.max(Long.getLong(property, 0), own) + change;
      COUNTS.put(property, own + change);
      properties.setProperty(property, Long.toString(sum));
    }
  }

  /**
   * Returns a number that no other object of a kind has in this JVM, whichever class loader has its
   * copy of Vramkit. Numbers rise even if a program restores its system properties, as tests do.
   *
   * @param property the system property with the newest number of the kind
   */
  public static long nextNumber(String property) {
    Properties properties = System.getProperties();
    synchronized (properties) {
      long newest = Math.max(Long.getLong(property, 0), NEWEST.getOrDefault(property, 0L)) + 1;
      NEWEST.put(property, newest);
      properties.setProperty(property, Long.toString(newest));
      return newest;
    }
  }

  /** Reads the statistics of an object. */
  protected abstract S read(T subject);

  /** Returns the ordinal of the device of an object. */
  protected abstract int deviceOf(T subject);

  /**
   * Returns the types of events, which are called for once the recorder is started. All are emitted
   * from one reading, the last one at the end. The last one, if enabled, determines the period.
   */
  protected abstract List<StatisticsEvent<S, ?>> types();

  /** Called some time after an object was garbage collected without a call of {@link #hide}. */
  protected void gone(long id) {}

  /**
   * Publishes the statistics of an object from now on.
   *
   * @param id the number of the object
   */
  public final void show(T subject, long id) {
    if (RECORDED) {
      begin();
      // Objects without a close, such as one for each task, come and go without a recording.
      for (Reference<? extends T> each = collected.poll(); each != null; each = collected.poll()) {
        remove((Shown<?>) each);
      }
      shown.put(id, new Shown<>(subject, id, collected));
    }
  }

  private void remove(Shown<?> reference) {
    if (shown.remove(reference.id, reference)) {
      gone(reference.id);
    }
  }

  private synchronized void begin() {
    if (!begun) {
      begun = true;
      PeriodicEvents.begin(this);
    }
  }

  /** Stops publishing the statistics of an object. */
  public final void hide(long id) {
    shown.remove(id);
  }

  /** Calls an action for each object, even if it fails for one. */
  public final void forEach(Consumer<T> action) {
    forEachNumbered((subject, id) -> action.accept(subject));
  }

  /** Calls an action with each object and its number. */
  final void forEachNumbered(BiConsumer<T, Long> action) {
    Batch.forEach(
        shown.values(),
        each -> {
          T subject = each.get();
          if (subject != null) {
            action.accept(subject, each.id);
          } else {
            remove(each);
          }
        });
  }
}
