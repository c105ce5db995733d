/** What is judged, and what is said of it: operations, owners, reports and what comes nearest. */
@NullMarked
package org.vramkit.sim.check.report;

import org.jspecify.annotations.NullMarked;
