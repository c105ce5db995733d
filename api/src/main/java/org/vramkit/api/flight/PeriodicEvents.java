package org.vramkit.api.flight;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import org.vramkit.api.allocator.Metric;

/**
 * Emits the events of a {@link StatisticsPublisher}. Defines the classes of events once the
 * recorder is started, which this class does not do, because both take some ten milliseconds.
 *
 * <p>Events of one reading have the same number in their field {@code reading}, which no other
 * reading in this JVM has. The last type comes last: a reader that has its event has those of the
 * other types too.
 */
final class PeriodicEvents<T, S> {
  /** The system property with the number of the latest reading. */
  private static final String READING_PROPERTY = "vramkit.latest-reading";

  private final StatisticsPublisher<T, S> publisher;
  private final List<Type<S, ?>> types = new ArrayList<>();
  private final Type<S, ?> last;

  private PeriodicEvents(StatisticsPublisher<T, S> publisher) {
    this.publisher = publisher;
    for (StatisticsEvent<S, ?> each : publisher.types()) {
      types.add(new Type<>(each, publisher.number));
    }
    last = types.get(types.size() - 1);
  }

  /** Emits events from the start of the recorder on. */
  static <T, S> void begin(StatisticsPublisher<T, S> publisher) {
    FlightRecorder.addListener(
        new FlightRecorderListener() {
          @Override
          public void recorderInitialized(FlightRecorder recorder) {
            new PeriodicEvents<>(publisher).begin();
          }
        });
  }

  private void begin() {
    for (Type<S, ?> each : types) {
      FlightRecorder.addPeriodicEvent(each.eventClass(), () -> emit(each));
    }
  }

  /** Emits all types if the last one is due; another one alone if the last one is disabled. */
  private void emit(Type<S, ?> due) {
    if (due == last) {
      emit(types);
    } else if (!last.isEnabled()) {
      emit(List.of(due));
    }
  }

  private void emit(List<Type<S, ?>> emitted) {
    publisher.forEachNumbered(
        (subject, id) -> {
          S statistics = publisher.read(subject);
          long reading = StatisticsPublisher.nextNumber(READING_PROPERTY);
          for (Type<S, ?> each : emitted) {
            each.emit(publisher.deviceOf(subject), id, reading, statistics);
          }
        });
  }

  /** A type of event whose class is defined. */
  private static final class Type<S, R> {
    private final StatisticsEvent<S, R> type;
    private final EventFactory factory;

    Type(StatisticsEvent<S, R> type, String number) {
      this.type = type;
      List<AnnotationElement> annotations =
          List.of(
              new AnnotationElement(Name.class, "org.vramkit." + type.name()),
              new AnnotationElement(
                  Label.class, type.name().replaceAll("(?<=[a-z])(?=[A-Z])", " ")),
              new AnnotationElement(Description.class, type.text()),
              new AnnotationElement(Category.class, new String[] {"Vramkit"}),
              new AnnotationElement(Enabled.class, false),
              new AnnotationElement(StackTrace.class, false),
              new AnnotationElement(Period.class, "1 s"));
      List<ValueDescriptor> fields = new ArrayList<>();
      fields.add(field(int.class, "device", "device", "Ordinal of the device in its backend"));
      fields.add(field(long.class, number, number, "Number in this JVM, from 1"));
      fields.add(field(long.class, "reading", "reading", "Equal in all events of one reading"));
      for (StatisticsEvent.Label<R> each : type.labels()) {
        fields.add(field(String.class, Metric.keyOf(each.name()), each.name(), each.text()));
      }
      for (Metric<R> each : type.metrics()) {
        fields.add(field(long.class, each.key(), each.name(), each.text(), unitOf(each)));
      }
      factory = EventFactory.create(annotations, fields);
    }

    private static ValueDescriptor field(
        Class<?> type, String key, String words, String text, AnnotationElement... more) {
      List<AnnotationElement> annotations = new ArrayList<>(List.of(more));
      annotations.add(new AnnotationElement(Label.class, titleOf(words)));
      annotations.add(new AnnotationElement(Description.class, text));
      return new ValueDescriptor(type, key, annotations);
    }

    private static AnnotationElement[] unitOf(Metric<?> metric) {
      return switch (metric.unit()) {
        case COUNT -> new AnnotationElement[0];
        case BYTES ->
            new AnnotationElement[] {new AnnotationElement(DataAmount.class, DataAmount.BYTES)};
        case NANOSECONDS ->
            new AnnotationElement[] {new AnnotationElement(Timespan.class, Timespan.NANOSECONDS)};
      };
    }

    /** Writes words as a label: {@code free blocks} as Free Blocks. */
    private static String titleOf(String words) {
      StringBuilder title = new StringBuilder();
      for (String word : words.split(" ", -1)) {
        title.append(title.isEmpty() ? "" : " ");
        title.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
      }
      return title.toString();
    }

    Class<? extends Event> eventClass() {
      return factory.newEvent().getClass();
    }

    boolean isEnabled() {
      return factory.getEventType().isEnabled();
    }

    void emit(int device, long id, long reading, S statistics) {
      if (!isEnabled()) {
        return;
      }
      for (R row : type.rows().apply(statistics)) {
        Event event = factory.newEvent();
        int field = 0;
        event.set(field++, device);
        event.set(field++, id);
        event.set(field++, reading);
        for (StatisticsEvent.Label<R> each : type.labels()) {
          event.set(field++, each.value().apply(row));
        }
        for (Metric<R> each : type.metrics()) {
          event.set(field++, each.value().applyAsLong(row));
        }
        event.commit();
      }
    }
  }
}
