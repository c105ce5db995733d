package org.vramkit.agent;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.vramkit.api.device.Graphs;

/** The state of the driver and the runtime for the calling thread. */
final class CudaThread {
  private static final ThreadLocal<@Nullable CudaThread> CURRENT = new ThreadLocal<>();

  private static final int RELAXED = 2;

  final CudaProcess process;

  /** The contexts that the thread pushed; the first is current. */
  final Deque<CudaContext> contexts = new ArrayDeque<>();

  /** The device that the runtime uses, by {@code cudaSetDevice}. */
  int device;

  /** The mode that decides which calls the thread may make while it captures. */
  private int captureMode;

  /** The relaxation of all devices while the mode is relaxed; null otherwise. */
  private Graphs.@Nullable Relaxation relaxation;

  /** The status that {@code cudaGetLastError} returns. */
  int lastError;

  /** True while a call is answered that the binding refused itself, unseen by the runtime. */
  boolean refusedByBinding;

  /** True while the thread runs a host function, which may call almost nothing. */
  boolean inHostFunction;

  private CudaThread(CudaProcess process) {
    this.process = process;
  }

  /** Returns the state of the calling thread, which is new in each process. */
  static CudaThread current() {
    CudaProcess process = CudaProcess.get();
    CudaThread known = CURRENT.get();
    if (known == null || known.process != process) {
      known = new CudaThread(process);
      CURRENT.set(known);
    }
    return known;
  }

  /** Returns the current context; refuses the call if there is none, or it was destroyed. */
  CudaContext context() {
    CudaContext found = CudaError.found(contexts.peek(), CudaError.INVALID_CONTEXT);
    CudaError.require(found.isActive(), CudaError.CONTEXT_IS_DESTROYED);
    return found;
  }

  /** Makes a context current in the place of the present one; null leaves the thread without it. */
  void setContext(@Nullable CudaContext context) {
    contexts.poll();
    if (context != null) {
      contexts.push(context);
      device = context.device.getOrdinal();
    }
  }

  /** Makes the primary context of the runtime's device current, unless there is a context. */
  void useRuntimeContext() {
    CudaContext found = contexts.peek();
    boolean isOwn = found != null && !found.primary;
    CudaError.require(!isOwn || found.isActive(), CudaError.INVALID_CONTEXT);
    if (found == null || !found.isActive()) {
      CudaContext primary = process.primary(device);
      primary.activate();
      setContext(primary);
    }
  }

  /** Sets the mode of captures; returns the mode before. */
  int exchangeCaptureMode(int mode) {
    int before = captureMode;
    captureMode = mode;
    if (relaxation != null) {
      relaxation.close();
    }
    relaxation = mode == RELAXED ? process.backend.getDevice(0).getGraphs().relax() : null;
    return before;
  }

  /** Runs a host function of the program. */
  void inHostFunction(Runnable function) {
    boolean outer = inHostFunction;
    inHostFunction = true;
    try {
      function.run();
    } finally {
      inHostFunction = outer;
    }
  }
}
