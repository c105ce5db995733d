package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Repeats a test over seeds and schedules. Use this annotation instead of {@code @Test}. Each run
 * has its own simulator and is named after its seed and schedule, such as {@code seed 7, random}.
 * Pinning the seed or the schedule, as described at {@link SimulatedGpu}, restricts the runs.
 *
 * <p>Add {@link SimulatedGpu} only to change settings. Its seed is the first seed, and its schedule
 * is ignored.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface SimulatedTest {
  /** The number of consecutive seeds, at least 1. */
  int seeds() default 20;

  /**
   * Names of schedules, as {@link org.vramkit.sim.schedule.Schedule#of} reads them; every seed runs
   * under each. Only {@code random}, {@code priorities} and {@code starving} depend on the seed.
   */
  String[] schedules() default "random";
}
