package org.vramkit.pressure.programs;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** What a program does next, and how often relative to other steps. */
enum Step {
  TAKE(8),
  CLOSE(4),
  USE(19),
  USE_SPILLABLE(2),
  SPILL(1),
  SUSPEND_OR_RESUME(1),
  TRIM(1),
  REPLACE_STREAM(1),
  CALL_HOST(1),
  CLOSE_GRAPH(1),
  SYNCHRONIZE(1);

  private static final List<Step> WEIGHTED =
      Arrays.stream(values())
          .flatMap(each -> Stream.generate(() -> each).limit(each.weight))
          .toList();

  private final int weight;

  Step(int weight) {
    this.weight = weight;
  }

  static Step any(SplittableRandom random) {
    return WEIGHTED.get(random.nextInt(WEIGHTED.size()));
  }
}
