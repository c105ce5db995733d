/** Who touched which bytes last. */
@NullMarked
package org.vramkit.sim.check.shadow;

import org.jspecify.annotations.NullMarked;
