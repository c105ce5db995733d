package org.vramkit.partition.scatter;

/** Work on a part of an array on its device. */
@FunctionalInterface
public interface PartTask {
  /**
   * Works on a part that lies in device memory, by work on the part's stream. What is there when
   * that work is done goes back into the array. Runs on the worker thread of the device.
   *
   * @throws Exception whatever it likes; such a failure ends the scatter and is thrown by it
   */
  void run(ArrayPart part) throws Exception;
}
