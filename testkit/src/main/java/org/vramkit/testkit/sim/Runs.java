package org.vramkit.testkit.sim;

import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.JUnitException;

/** Which runs a test makes: what is pinned comes before what is annotated. */
final class Runs {
  private Runs() {}

  /** The run of one test; an invocation of a repeated test was told which one it is. */
  static Run of(ExtensionContext context, GpuSettings settings) {
    Run told = TestGpu.store(context).get(Run.class, Run.class);
    return told != null ? told : new Run(pinnedSeed(context).orElse(settings.getSeed()));
  }

  /** The runs of a repeated test, made one by one. */
  static Stream<Run> of(ExtensionContext context, GpuSettings settings, SimulatedTest repeated) {
    if (repeated.seeds() < 1) {
      throw new JUnitException("@SimulatedTest needs at least one seed; got " + repeated.seeds());
    }
    long first = settings.getSeed();
    return pinnedSeed(context)
        .map(LongStream::of)
        .orElseGet(() -> LongStream.range(first, first + repeated.seeds()))
        .mapToObj(Run::new);
  }

  private static Optional<Long> pinnedSeed(ExtensionContext context) {
    return context
        .getConfigurationParameter(Run.SEED)
        .map(
            text -> {
              try {
                return Long.valueOf(text.strip());
              } catch (NumberFormatException e) {
                throw new JUnitException(
                    Run.SEED
                        + " has to be a whole number of 64 bits, such as 7; got '"
                        + text
                        + "'",
                    e);
              }
            });
  }
}
