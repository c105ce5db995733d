package org.vramkit.export;

import java.util.List;

/**
 * How much is written.
 *
 * @param maxEntries of the latest events
 * @param maxFrames of each stack, the nearest ones
 */
record ExportLimits(long maxEntries, int maxFrames) {

  List<StackTraceElement> cut(List<StackTraceElement> stack) {
    return stack.size() <= maxFrames ? stack : stack.subList(0, maxFrames);
  }
}
