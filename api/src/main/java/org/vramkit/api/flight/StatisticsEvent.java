package org.vramkit.api.flight;

import java.util.List;
import java.util.function.Function;
import org.vramkit.api.allocator.Metric;

/**
 * A type of event, which is emitted for each row of some statistics.
 *
 * @param name the name without the prefix {@code org.vramkit.}
 * @param text what the event describes, in one line
 * @param rows returns the rows of a reading
 * @param labels the fields that are text
 * @param metrics the fields that are numbers
 */
public record StatisticsEvent<S, R>(
    String name,
    String text,
    Function<S, List<R>> rows,
    List<Label<R>> labels,
    List<Metric<R>> metrics) {

  /**
   * A field of text.
   *
   * @param name the name of the field
   * @param text what the field contains
   */
  public record Label<R>(String name, String text, Function<R, String> value) {}

  /** Creates a type with one event for each reading. */
  public static <S> StatisticsEvent<S, S> of(String name, String text, List<Metric<S>> metrics) {
    return new StatisticsEvent<>(name, text, List::of, List.of(), metrics);
  }
}
