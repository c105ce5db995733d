/**
 * The simulated GPU: a backend in plain Java with virtual time, real bytes, injected faults, and a
 * checker that reports every use of memory out of stream order.
 *
 * <p>Unless declared nullable, null arguments are refused at once, here and in the packages below,
 * by a {@link java.lang.NullPointerException} with the name of the argument.
 */
@NullMarked
package org.vramkit.sim;

import org.jspecify.annotations.NullMarked;
