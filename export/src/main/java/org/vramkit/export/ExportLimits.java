package org.vramkit.export;

import java.util.List;

/**
 * Limits of an export.
 *
 * @param maxEntries maximum number of events; the latest are written
 * @param maxFrames maximum number of frames per stack; the innermost are written
 */
record ExportLimits(long maxEntries, int maxFrames) {

  List<StackTraceElement> cut(List<StackTraceElement> stack) {
    return stack.size() <= maxFrames ? stack : stack.subList(0, maxFrames);
  }
}
