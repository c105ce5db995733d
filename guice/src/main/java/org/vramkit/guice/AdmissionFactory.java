package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.pressure.Admission;

/** Makes the admission of a device; bind another one for a limit. */
@FunctionalInterface
public interface AdmissionFactory {

  /** Called once for each device whose admission is used. */
  Admission create(Allocator allocator);
}
