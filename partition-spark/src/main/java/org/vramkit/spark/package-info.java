/** Vramkit on Spark: an executor's GPUs, and work divided over all GPUs of a cluster. */
@NullMarked
package org.vramkit.spark;

import org.jspecify.annotations.NullMarked;
