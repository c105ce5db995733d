/**
 * The checker: the order that the API's rules guarantee, as vector clocks; who touched which bytes;
 * who owns which block; and the reports where these disagree.
 *
 * <p>Nothing here knows virtual time: what happened to run early or late never changes a verdict.
 */
@NullMarked
package org.vramkit.sim.check;

import org.jspecify.annotations.NullMarked;
