/**
 * Programs: what was done to a simulator, recorded, run again, reduced to what a report needs,
 * printed.
 */
@NullMarked
package org.vramkit.sim.replay;

import org.jspecify.annotations.NullMarked;
