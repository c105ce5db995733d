/** Vramkit on Spark: the GPUs of executors, and work divided over all GPUs of a cluster. */
@NullMarked
package org.vramkit.spark;

import org.jspecify.annotations.NullMarked;
