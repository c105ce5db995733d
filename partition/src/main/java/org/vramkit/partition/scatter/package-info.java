/** Runs work on several devices, with worker threads per device and recovery from failures. */
@NullMarked
package org.vramkit.partition.scatter;

import org.jspecify.annotations.NullMarked;
