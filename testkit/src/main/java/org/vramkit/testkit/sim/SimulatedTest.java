package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is repeated over seeds, in place of {@code @Test}. Each run has a simulator of its
 * own and is called after what repeats it, such as {@code seed 7}. A pinned seed leaves one run.
 *
 * <p>All else is as {@link SimulatedGpu} says, which is not needed beside it unless for settings;
 * the first seed is the one there.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith({SimulatedGpuExtension.class, RepeatedRuns.class})
public @interface SimulatedTest {
  /** How many seeds, at least 1. */
  int seeds() default 20;
}
