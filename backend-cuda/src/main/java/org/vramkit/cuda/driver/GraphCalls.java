package org.vramkit.cuda.driver;

/** Capture of streams, and graphs; needs a driver of CUDA 11.4. */
public interface GraphCalls {

  /** The driver version from which on all of these calls exist: the newest takes flags. */
  int SINCE = 11040;

  /** {@code CU_STREAM_CAPTURE_MODE_THREAD_LOCAL}: the capturing thread makes no unsafe call. */
  int THREAD_LOCAL = 1;

  /** {@code CU_STREAM_CAPTURE_MODE_RELAXED}: it may. */
  int RELAXED = 2;

  /** {@code CU_STREAM_CAPTURE_STATUS_NONE}: the stream runs what it is given. */
  int NOT_CAPTURING = 0;

  /** Of a binding that lacks them. */
  GraphCalls ABSENT = new AbsentGraphs();

  /** Begins to capture a stream, with {@code cuStreamBeginCapture_v2}. */
  int cuStreamBeginCapture(Handle stream, int mode);

  /** Ends a capture; the graph is null where it was spoilt. */
  int cuStreamEndCapture(Handle stream, Handle[] graph);

  /** Returns whether a stream is captured. */
  int cuStreamIsCapturing(Handle stream, int[] status);

  /** Sets what the calling thread may do while it captures; puts what it was into the array. */
  int cuThreadExchangeStreamCaptureMode(int[] mode);

  /** Makes a graph ready to be launched, with {@code cuGraphInstantiateWithFlags}. */
  int cuGraphInstantiate(Handle[] executable, Handle graph);

  /** Submits all work of a graph. */
  int cuGraphLaunch(Handle executable, Handle stream);

  /** Gives back what can be launched; launches under way go on. */
  int cuGraphExecDestroy(Handle executable);

  /** Gives back what was captured. */
  int cuGraphDestroy(Handle graph);
}
