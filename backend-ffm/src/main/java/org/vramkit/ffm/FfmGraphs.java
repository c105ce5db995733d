package org.vramkit.ffm;

import org.vramkit.cuda.driver.GraphCalls;
import org.vramkit.cuda.driver.Handle;

/** Capture and graph calls. */
final class FfmGraphs implements GraphCalls {
  /** {@code CUresult cuStreamBeginCapture(CUstream hStream, CUstreamCaptureMode mode)}. */
  private final Call.LI streamBeginCapture;

  /** {@code CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph)}. */
  private final Call.LL streamEndCapture;

  /** {@code CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* captureStatus)}. */
  private final Call.LL streamIsCapturing;

  /** {@code CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode)}. */
  private final Call.L threadExchangeStreamCaptureMode;

  /**
   * {@code CUresult cuGraphInstantiateWithFlags(CUgraphExec* phGraphExec, CUgraph hGraph, unsigned
   * long long flags)}.
   */
  private final Call.LLL graphInstantiateWithFlags;

  /** {@code CUresult cuGraphLaunch(CUgraphExec hGraphExec, CUstream hStream)}. */
  private final Call.LL graphLaunch;

  /** {@code CUresult cuGraphExecDestroy(CUgraphExec hGraphExec)}. */
  private final Call.L graphExecDestroy;

  /** {@code CUresult cuGraphDestroy(CUgraph hGraph)}. */
  private final Call.L graphDestroy;

  FfmGraphs(DriverFunctions functions) {
    streamBeginCapture =
        new Call.LI(functions.find("cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2"));
    streamEndCapture = new Call.LL(functions.find("cuStreamEndCapture", 10000));
    streamIsCapturing = new Call.LL(functions.find("cuStreamIsCapturing", 10000));
    threadExchangeStreamCaptureMode =
        new Call.L(functions.find("cuThreadExchangeStreamCaptureMode", 10010));
    graphInstantiateWithFlags = new Call.LLL(functions.find("cuGraphInstantiateWithFlags", SINCE));
    graphLaunch = new Call.LL(functions.find("cuGraphLaunch", 10000));
    graphExecDestroy = new Call.L(functions.find("cuGraphExecDestroy", 10000));
    graphDestroy = new Call.L(functions.find("cuGraphDestroy", 10000));
  }

  @Override
  public int cuStreamBeginCapture(Handle stream, int mode) {
    return streamBeginCapture.call(stream.getAddress(), mode);
  }

  @Override
  public int cuStreamEndCapture(Handle stream, Handle[] graph) {
    long cell = Cells.take();
    try {
      int result = streamEndCapture.call(stream.getAddress(), cell);
      graph[0] = new FfmHandle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuStreamIsCapturing(Handle stream, int[] status) {
    long cell = Cells.take();
    try {
      int result = streamIsCapturing.call(stream.getAddress(), cell);
      status[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuThreadExchangeStreamCaptureMode(int[] mode) {
    long cell = Cells.take();
    try {
      Cells.putInt(cell, mode[0]);
      int result = threadExchangeStreamCaptureMode.call(cell);
      mode[0] = Cells.getInt(cell);
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuGraphInstantiate(Handle[] executable, Handle graph) {
    long cell = Cells.take();
    try {
      int result = graphInstantiateWithFlags.call(cell, graph.getAddress(), 0);
      executable[0] = new FfmHandle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuGraphLaunch(Handle executable, Handle stream) {
    return graphLaunch.call(executable.getAddress(), stream.getAddress());
  }

  @Override
  public int cuGraphExecDestroy(Handle executable) {
    return graphExecDestroy.call(executable.getAddress());
  }

  @Override
  public int cuGraphDestroy(Handle graph) {
    return graphDestroy.call(graph.getAddress());
  }
}
