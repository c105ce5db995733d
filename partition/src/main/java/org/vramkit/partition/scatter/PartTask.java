package org.vramkit.partition.scatter;

/** A task that processes a part of an array on a device. */
@FunctionalInterface
public interface PartTask {
  /**
   * Submits work on a part in device memory to the part's stream. When that work is complete, the
   * part is copied back into the array. Runs on the worker thread of the device.
   *
   * @throws Exception any failure; it ends the scatter, which throws it
   */
  void run(ArrayPart part) throws Exception;
}
