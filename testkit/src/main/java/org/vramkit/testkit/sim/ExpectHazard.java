package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.vramkit.sim.hazard.HazardCode;

/**
 * Declares the hazards of a test that has them on purpose. The test passes if exactly these codes
 * are found, each at least once, in the order of their first reports. A warning must be found if it
 * is listed, and may be found otherwise.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface ExpectHazard {
  /** The codes, in the order of their first reports. */
  HazardCode[] value();
}
