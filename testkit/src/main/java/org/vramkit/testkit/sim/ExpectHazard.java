package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Marks a test that contains hazards on purpose. The test passes only if exactly these hazards are
 * found, each at least once, in this order of first findings. Warnings that are listed must be
 * found too; other warnings are allowed.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface ExpectHazard {
  /** The codes, in the order of their first findings. */
  HazardCode[] value();
}
