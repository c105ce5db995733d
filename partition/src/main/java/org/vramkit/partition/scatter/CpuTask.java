package org.vramkit.partition.scatter;

/** The same work without a GPU. */
@FunctionalInterface
public interface CpuTask {

  /**
   * Works on units, on the thread that called the scatter.
   *
   * @param from first unit
   * @param to first unit after them
   * @throws Exception whatever it likes; thrown by the scatter
   */
  void run(long from, long to) throws Exception;
}
