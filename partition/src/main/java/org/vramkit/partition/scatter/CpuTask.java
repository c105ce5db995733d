package org.vramkit.partition.scatter;

/** The CPU implementation of a task. */
@FunctionalInterface
public interface CpuTask {

  /**
   * Processes units. Runs on the thread that called the scatter, or on a worker thread of its own
   * under {@link Schedule#withCpu}.
   *
   * @param from first unit
   * @param to end of the range, exclusive
   * @throws Exception any failure; the scatter throws it
   */
  void run(long from, long to) throws Exception;
}
