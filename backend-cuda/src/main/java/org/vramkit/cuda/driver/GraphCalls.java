package org.vramkit.cuda.driver;

/** Calls for stream capture and graphs, which need a driver of CUDA 11.4 or newer. */
public interface GraphCalls {

  /** The first driver version that has all of these calls. */
  int SINCE = 11040;

  /**
   * {@code CU_STREAM_CAPTURE_MODE_THREAD_LOCAL}: unsafe calls are refused on the capturing thread.
   */
  int THREAD_LOCAL = 1;

  /** {@code CU_STREAM_CAPTURE_MODE_RELAXED}: unsafe calls are allowed. */
  int RELAXED = 2;

  /** {@code CU_STREAM_CAPTURE_STATUS_NONE}: the stream is not being captured. */
  int NOT_CAPTURING = 0;

  /** The calls of a binding that lacks them. */
  GraphCalls ABSENT = new AbsentGraphs();

  /** Begins to capture a stream, with {@code cuStreamBeginCapture_v2}. */
  int cuStreamBeginCapture(Handle stream, int mode);

  /** Ends a capture; the graph is null if the capture was invalidated. */
  int cuStreamEndCapture(Handle stream, Handle[] graph);

  /** Queries whether a stream is being captured. */
  int cuStreamIsCapturing(Handle stream, int[] status);

  /** Sets the capture mode of the calling thread; the array receives the previous mode. */
  int cuThreadExchangeStreamCaptureMode(int[] mode);

  /** Instantiates a graph, with {@code cuGraphInstantiateWithFlags}. */
  int cuGraphInstantiate(Handle[] executable, Handle graph);

  /** Submits all work of a graph. */
  int cuGraphLaunch(Handle executable, Handle stream);

  /** Destroys an instantiated graph; launches in progress continue. */
  int cuGraphExecDestroy(Handle executable);

  /** Destroys a captured graph. */
  int cuGraphDestroy(Handle graph);
}
