package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Repeats a test over seeds and schedules, in place of {@code @Test}. Each run has its own
 * simulator, and a name that repeats it, such as {@code seed 7, random}. A pinned seed or schedule,
 * as {@link SimulatedGpu} describes, selects the matching runs.
 *
 * <p>{@link SimulatedGpu} is needed only for settings: its seed is the first one, and its schedule
 * is ignored.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface SimulatedTest {
  /** The number of seeds, at least 1; each is one more than the one before. */
  int seeds() default 20;

  /**
   * Names of schedules, as {@link org.vramkit.sim.schedule.Schedule#of} reads them: every seed is
   * run under each. Only {@code random}, {@code priorities} and {@code starving} draw from the
   * seed.
   */
  String[] schedules() default "random";
}
