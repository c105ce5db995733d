package org.vramkit.pool.support;

/**
 * Prevents false sharing: two cache lines of padding precede the fields of a subclass, so that two
 * such objects never share a line. HotSpot lays out the fields of a superclass first; on JVMs with
 * another layout, false sharing may remain, which costs only speed.
 */
@SuppressWarnings("unused") // padding
public abstract class Padded {
  // Fills the gap after the object header, where a small field of the subclass would go.
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
}
