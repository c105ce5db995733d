package org.vramkit.sim.timeline;

/**
 * The work of one stream: its name to policies.
 *
 * @param number its number in the order of creation, from 0
 */
public record Lane(int number) {}
