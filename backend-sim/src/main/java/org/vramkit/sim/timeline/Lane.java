package org.vramkit.sim.timeline;

/** The work of one stream: its name to policies. */
public final class Lane {
  private final int number;

  Lane(int number) {
    this.number = number;
  }

  /** Its number in the order of creation, from 0. */
  int getNumber() {
    return number;
  }
}
