package org.vramkit.ffm;

import org.vramkit.cuda.driver.Handle;
import org.vramkit.cuda.driver.StreamCalls;

/** Stream calls. */
final class FfmStreams implements StreamCalls {
  /** {@code CUresult cuStreamCreate(CUstream* phStream, unsigned int Flags)}. */
  private final Call.LI streamCreate;

  /** {@code CUresult cuStreamQuery(CUstream hStream)}. */
  private final Call.Question streamQuery;

  /** {@code CUresult cuStreamSynchronize(CUstream hStream)}. */
  private final Call.L streamSynchronize;

  /** {@code CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int Flags)}. */
  private final Call.LLI streamWaitEvent;

  /** {@code CUresult cuStreamDestroy(CUstream hStream)}. */
  private final Call.L streamDestroy;

  FfmStreams(DriverFunctions functions) {
    streamCreate = new Call.LI(functions.find("cuStreamCreate", 2000));
    streamQuery = new Call.Question(functions.find("cuStreamQuery", 2000), functions.areCritical());
    streamSynchronize = new Call.L(functions.find("cuStreamSynchronize", 2000));
    streamWaitEvent = new Call.LLI(functions.find("cuStreamWaitEvent", 3020));
    streamDestroy = new Call.L(functions.find("cuStreamDestroy", 4000, "cuStreamDestroy_v2"));
  }

  @Override
  public Handle getDefaultStream() {
    return FfmHandle.NONE;
  }

  @Override
  public int cuStreamCreate(Handle[] stream, int flags) {
    long cell = Cells.take();
    try {
      int result = streamCreate.call(cell, flags);
      stream[0] = new FfmHandle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuStreamQuery(Handle stream) {
    return streamQuery.call(stream.getAddress());
  }

  @Override
  public int cuStreamSynchronize(Handle stream) {
    return streamSynchronize.call(stream.getAddress());
  }

  @Override
  public int cuStreamWaitEvent(Handle stream, Handle event) {
    return streamWaitEvent.call(stream.getAddress(), event.getAddress(), 0);
  }

  @Override
  public int cuStreamDestroy(Handle stream) {
    return streamDestroy.call(stream.getAddress());
  }
}
