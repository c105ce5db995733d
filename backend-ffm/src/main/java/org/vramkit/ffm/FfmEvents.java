package org.vramkit.ffm;

import org.vramkit.cuda.driver.EventCalls;
import org.vramkit.cuda.driver.Handle;

/** Event calls. */
final class FfmEvents implements EventCalls {
  /** {@code CUresult cuEventCreate(CUevent* phEvent, unsigned int Flags)}. */
  private final Call.LI eventCreate;

  /** {@code CUresult cuEventRecord(CUevent hEvent, CUstream hStream)}. */
  private final Call.LL eventRecord;

  /** {@code CUresult cuEventQuery(CUevent hEvent)}. */
  private final Call.Question eventQuery;

  /** {@code CUresult cuEventSynchronize(CUevent hEvent)}. */
  private final Call.L eventSynchronize;

  /** {@code CUresult cuEventDestroy(CUevent hEvent)}. */
  private final Call.L eventDestroy;

  FfmEvents(DriverFunctions functions) {
    eventCreate = new Call.LI(functions.find("cuEventCreate", 2000));
    eventRecord = new Call.LL(functions.find("cuEventRecord", 2000));
    eventQuery = new Call.Question(functions.find("cuEventQuery", 2000), functions.areCritical());
    eventSynchronize = new Call.L(functions.find("cuEventSynchronize", 2000));
    eventDestroy = new Call.L(functions.find("cuEventDestroy", 4000, "cuEventDestroy_v2"));
  }

  @Override
  public int cuEventCreate(Handle[] event, int flags) {
    long cell = Cells.take();
    try {
      int result = eventCreate.call(cell, flags);
      event[0] = new FfmHandle(Cells.getLong(cell));
      return result;
    } finally {
      Cells.give(cell);
    }
  }

  @Override
  public int cuEventRecord(Handle event, Handle stream) {
    return eventRecord.call(event.getAddress(), stream.getAddress());
  }

  @Override
  public int cuEventQuery(Handle event) {
    return eventQuery.call(event.getAddress());
  }

  @Override
  public int cuEventSynchronize(Handle event) {
    return eventSynchronize.call(event.getAddress());
  }

  @Override
  public int cuEventDestroy(Handle event) {
    return eventDestroy.call(event.getAddress());
  }
}
