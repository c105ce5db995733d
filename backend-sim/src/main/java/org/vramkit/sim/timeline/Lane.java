package org.vramkit.sim.timeline;

/** The work of one stream: its name to policies. */
public final class Lane {
  private final int number;
  private boolean used;

  Lane(int number) {
    this.number = number;
  }

  /** Its number in the order of creation, from 0. */
  int getNumber() {
    return number;
  }

  /** Whether work was ever submitted to it. */
  boolean isUsed() {
    return used;
  }

  void use() {
    used = true;
  }
}
