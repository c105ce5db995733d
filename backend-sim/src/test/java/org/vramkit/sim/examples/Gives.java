package org.vramkit.sim.examples;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.vramkit.sim.hazard.HazardCode;

/** Marks an example that docs/simulator.md quotes, and tells the report that it gives. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Gives {
  /** The report: this one, once, and no other. */
  HazardCode value();

  /** Whether launches need a current device in this example. */
  boolean requireContext() default false;
}
