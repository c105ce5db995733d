/** Pools of devices with scores and memory budgets. */
@NullMarked
package org.vramkit.partition.device;

import org.jspecify.annotations.NullMarked;
