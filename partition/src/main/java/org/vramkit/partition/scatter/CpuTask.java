package org.vramkit.partition.scatter;

/** The CPU implementation of a task. */
@FunctionalInterface
public interface CpuTask {

  /**
   * Processes units. Runs on the thread that called the scatter, or under {@link Schedule#withCpu}
   * on a separate worker thread.
   *
   * @param from first unit
   * @param to end of the range, exclusive
   * @throws Exception any failure; the scatter throws it
   */
  void run(long from, long to) throws Exception;
}
