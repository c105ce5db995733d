/**
 * The checker: vector clocks of the order that the API guarantees, the history of accesses, the
 * owners of blocks, and the reports.
 *
 * <p>This package does not use virtual time, so reports do not depend on when work ran.
 */
@NullMarked
package org.vramkit.sim.check;

import org.jspecify.annotations.NullMarked;
