/** Runs a plan: a worker thread for each device, failures dealt with. */
@NullMarked
package org.vramkit.partition.scatter;

import org.jspecify.annotations.NullMarked;
