package org.vramkit.testkit.sim;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.vramkit.sim.hazard.HazardCode;

/**
 * The test contains hazards on purpose: it passes if just these are found, each once or more often,
 * first findings in this order, and fails otherwise. A code that is only a warning has to be found
 * too where it is named, and may be found where it is not.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface ExpectHazard {
  /** The codes, in the order in which they are found first. */
  HazardCode[] value();
}
