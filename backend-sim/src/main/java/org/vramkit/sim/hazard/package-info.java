/** What the checker reports: hazards, the accesses in conflict, and leaks. */
@NullMarked
package org.vramkit.sim.hazard;

import org.jspecify.annotations.NullMarked;
