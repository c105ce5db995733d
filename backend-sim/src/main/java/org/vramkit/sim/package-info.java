/**
 * The simulated GPU: a backend in plain Java with virtual time, real bytes, injected faults, and a
 * checker that reports every use of memory out of stream order.
 *
 * <p>In this package and the packages below, a null argument that is not declared nullable throws a
 * {@link java.lang.NullPointerException} with the name of the argument.
 */
@NullMarked
package org.vramkit.sim;

import org.jspecify.annotations.NullMarked;
