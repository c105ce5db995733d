package org.vramkit.guice;

import org.vramkit.api.allocator.Allocator;
import org.vramkit.pressure.Admission;

/** Creates the admission of a device; bind another factory to set a limit. */
@FunctionalInterface
public interface AdmissionFactory {

  /** Creates an admission. Called once per device, on first use. */
  Admission create(Allocator allocator);
}
