/** Exact division of units among devices. */
@NullMarked
package org.vramkit.partition.plan;

import org.jspecify.annotations.NullMarked;
