package org.vramkit.ffm;

import org.vramkit.cuda.driver.CudaDriver;
import org.vramkit.cuda.driver.CudaResult;
import org.vramkit.cuda.driver.Handle;

/** Streams and events. */
@SuppressWarnings("UnusedMethod") // called by native code
final class PlayedStreams {
  private final CudaDriver driver;
  private final PlayedHandles streams;
  private final PlayedHandles events = new PlayedHandles();

  PlayedStreams(CudaDriver driver, PlayedHandles streams) {
    this.driver = driver;
    this.streams = streams;
  }

  @Since(2000)
  int cuStreamCreate(long phStream, int flags) {
    Handle[] made = new Handle[1];
    return streams.told(driver.streams().cuStreamCreate(made, flags), made, phStream);
  }

  @Since(2000)
  int cuStreamQuery(long stream) {
    return driver.streams().cuStreamQuery(streams.known(stream));
  }

  @Since(2000)
  int cuStreamSynchronize(long stream) {
    return driver.streams().cuStreamSynchronize(streams.known(stream));
  }

  @Since(3020)
  int cuStreamWaitEvent(long stream, long event, int flags) {
    return flags == 0
        ? driver.streams().cuStreamWaitEvent(streams.known(stream), events.known(event))
        : CudaResult.INVALID_VALUE;
  }

  @Since(value = 4000, exported = "cuStreamDestroy_v2")
  int cuStreamDestroy(long stream) {
    return driver.streams().cuStreamDestroy(streams.known(stream));
  }

  @Since(2000)
  int cuEventCreate(long phEvent, int flags) {
    Handle[] made = new Handle[1];
    return events.told(driver.events().cuEventCreate(made, flags), made, phEvent);
  }

  @Since(2000)
  int cuEventRecord(long event, long stream) {
    return driver.events().cuEventRecord(events.known(event), streams.known(stream));
  }

  @Since(2000)
  int cuEventQuery(long event) {
    return driver.events().cuEventQuery(events.known(event));
  }

  @Since(2000)
  int cuEventSynchronize(long event) {
    return driver.events().cuEventSynchronize(events.known(event));
  }

  @Since(value = 4000, exported = "cuEventDestroy_v2")
  int cuEventDestroy(long event) {
    return driver.events().cuEventDestroy(events.known(event));
  }
}
