package org.vramkit.pool.support;

/**
 * Keeps what a thread writes all the time away from what other threads use: the fields of a
 * subclass lie behind two cache lines that nobody touches, wherever the object comes to lie, so two
 * such objects never share a line. Fields of a superclass come first in HotSpot; elsewhere this
 * costs speed, not correctness.
 */
@SuppressWarnings("unused") // what nobody touches is the purpose
public abstract class Padded {
  // Fills the gap behind the object's header, where a small field of the subclass would go.
  private int gap;
  private long p01;
  private long p02;
  private long p03;
  private long p04;
  private long p05;
  private long p06;
  private long p07;
  private long p08;
  private long p09;
  private long p10;
  private long p11;
  private long p12;
  private long p13;
  private long p14;
  private long p15;
  private long p16;

  /** For subclasses. */
  protected Padded() {}
}
