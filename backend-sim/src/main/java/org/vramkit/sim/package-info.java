/**
 * The simulated GPU: a backend in plain Java with virtual time, real bytes, faults on demand and a
 * checker that reports every use of memory out of stream order.
 *
 * <p>A null that is not asked for is refused at once, here and in the packages below, by a {@link
 * java.lang.NullPointerException} with the name of the argument.
 */
@NullMarked
package org.vramkit.sim;

import org.jspecify.annotations.NullMarked;
