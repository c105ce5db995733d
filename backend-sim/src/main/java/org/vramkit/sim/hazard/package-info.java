/** Reports of the checker: hazards with the conflicting accesses, and leaks. */
@NullMarked
package org.vramkit.sim.hazard;

import org.jspecify.annotations.NullMarked;
