/** Exact division of units among devices: who gets which. */
@NullMarked
package org.vramkit.partition.plan;

import org.jspecify.annotations.NullMarked;
