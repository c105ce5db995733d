package org.vramkit.pool.ending;

import org.vramkit.api.device.Stream;

/** Something that a {@link Subject} has handed out. */
interface Held extends AutoCloseable {

  /** Bytes that the subject holds for it. */
  long size();

  /** Submits work that uses it. */
  void work(Stream stream);

  /** Tells that a stream other than its own uses it, where the subject wants to know. */
  default void recordUse(Stream user) {}

  @Override
  void close();
}
