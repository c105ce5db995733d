package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is repeated over seeds and schedules, in place of {@code @Test}. Each run has a
 * simulator of its own and is called after what repeats it, such as {@code seed 7, random}. Pinning
 * the seed, the schedule or both, as {@link SimulatedGpu} says, leaves the runs that agree.
 *
 * <p>{@link SimulatedGpu} is not needed beside it unless for settings; the first seed is the one
 * there, its schedule does not count.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface SimulatedTest {
  /** How many seeds, at least 1; each is one more than the one before. */
  int seeds() default 20;

  /**
   * Names of schedules, as {@link org.vramkit.sim.schedule.Schedule#of} reads them: every seed is
   * run under each. Only {@code random}, {@code priorities} and {@code starving} draw from the
   * seed.
   */
  String[] schedules() default "random";
}
