package org.vramkit.agent;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.vramkit.sim.SimStream;

/**
 * The work of a call, which a stream runs or a graph has as a node.
 *
 * @param type the type of the node, with the numbers of {@code CUgraphNodeType}
 * @param waits whether a call without a stream waits for it
 * @param form what an executable graph cannot change about it
 * @param submission submits it to a stream
 */
record CudaWork(int type, boolean waits, String form, Consumer<SimStream> submission) {
  static final int KERNEL = 0;
  static final int COPY = 1;
  static final int SET = 2;
  static final int HOST = 3;
  static final int CHILD = 4;
  static final int EMPTY = 5;

  CudaWork(int type, boolean waits, Consumer<SimStream> submission) {
    this(type, waits, "", submission);
  }

  /** Returns parts, of which some may be nothing, as one piece of work; null for nothing. */
  static @Nullable CudaWork all(List<? extends @Nullable CudaWork> parts) {
    List<CudaWork> given =
        parts.stream().filter(Objects::nonNull).map(each -> (CudaWork) each).toList();
    if (given.size() <= 1) {
      return given.isEmpty() ? null : given.get(0);
    }
    boolean waits = given.stream().anyMatch(CudaWork::waits);
    return new CudaWork(
        given.get(0).type,
        waits,
        given.get(0).form + " in rows",
        stream -> given.forEach(each -> each.submission.accept(stream)));
  }
}
