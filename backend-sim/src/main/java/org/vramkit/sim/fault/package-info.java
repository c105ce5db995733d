/** Carries out fault plans: decides call by call and piece by piece what goes wrong. */
@NullMarked
package org.vramkit.sim.fault;

import org.jspecify.annotations.NullMarked;
