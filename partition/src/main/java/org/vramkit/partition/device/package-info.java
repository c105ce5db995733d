/** The devices that work is divided over, best first, with budgets of memory. */
@NullMarked
package org.vramkit.partition.device;

import org.jspecify.annotations.NullMarked;
