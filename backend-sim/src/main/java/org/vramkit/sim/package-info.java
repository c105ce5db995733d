/**
 * The simulated GPU: a backend in plain Java with virtual time, real bytes, faults on demand and a
 * checker that reports every use of memory out of stream order.
 */
@NullMarked
package org.vramkit.sim;

import org.jspecify.annotations.NullMarked;
