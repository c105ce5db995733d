package org.vramkit.pressure;

import java.util.function.BiConsumer;
import java.util.function.Supplier;
import jdk.jfr.FlightRecorder;
import jdk.jfr.FlightRecorderListener;
import org.vramkit.pressure.FlightEvents.AdmissionEvent;
import org.vramkit.pressure.FlightEvents.PartEvent;
import org.vramkit.pressure.FlightEvents.RetryEvent;
import org.vramkit.pressure.FlightEvents.SpillEvent;
import org.vramkit.pressure.FlightEvents.WaitingEvent;

/** Emits the figures of all parts as periodic events, once the flight recorder is started. */
final class FlightFigures {
  private FlightFigures() {}

  static void listen() {
    FlightRecorder.addListener(
        new FlightRecorderListener() {
          @Override
          public void recorderInitialized(FlightRecorder recorder) {
            emit(AdmissionStatistics.class, AdmissionEvent::new, AdmissionEvent::fill);
            emit(SpillStatistics.class, SpillEvent::new, SpillEvent::fill);
            emit(RetryStatistics.class, RetryEvent::new, RetryEvent::fill);
            emit(WaitingStatistics.class, WaitingEvent::new, WaitingEvent::fill);
          }
        });
  }

  private static <S, E extends PartEvent> void emit(
      Class<S> kind, Supplier<E> type, BiConsumer<E, S> filling) {
    FlightRecorder.addPeriodicEvent(
        type.get().getClass(),
        () ->
            Figures.each(
                kind,
                (part, statistics) -> {
                  E event = type.get();
                  if (event.shouldCommit()) {
                    event.device = part.device().getOrdinal();
                    event.part = part.number();
                    filling.accept(event, statistics);
                    event.commit();
                  }
                }));
  }
}
