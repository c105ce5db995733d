package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;
import org.vramkit.api.error.CaptureException;

/** Tests calls that cannot be captured. */
interface CaptureContract extends KitContext {

  @Test
  @DisplayName("waiting for or querying a captured stream invalidates the capture")
  default void waitsInvalidate() {
    assertInvalidates((stream, event) -> stream.synchronize());
    assertInvalidates((stream, event) -> stream.isIdle());
    assertInvalidates((stream, event) -> stream.getDevice().synchronize());
  }

  @Test
  @DisplayName("waiting for or querying an event that was recorded in a capture is refused")
  default void capturedEventsAreRefused() {
    assertInvalidates((stream, event) -> event.synchronize());
    Graphs graphs = getCapturing();
    try (Stream stream = getDevice().createStream();
        Event event = getDevice().createEvent()) {
      graphs.beginCapture(stream);
      event.record(stream);
      graphs.endCapture(stream).close();
      event.record(stream);
      event.synchronize();
      assertTrue(event.isComplete(), "recorded again");
    }
  }

  @Test
  @DisplayName("captured work does not wait for work outside of the capture")
  default void waitsForOutsideAreRefused() {
    assertInvalidates(
        (stream, event) -> {
          try (Stream other = getDevice().createStream();
              Event outside = getDevice().createEvent()) {
            outside.record(other);
            stream.waitFor(outside);
          }
        });
  }

  @Test
  @DisplayName("plain allocation is refused on the capturing thread, except in a relaxation")
  @SuppressWarnings("try") // the variable only closes the relaxation
  default void allocationInCapture() {
    assertInvalidates((stream, event) -> getDevice().getMemory().allocate(4096));
    Graphs graphs = getCapturing();
    try (Stream stream = getDevice().createStream()) {
      graphs.beginCapture(stream);
      long address;
      try (Graphs.Relaxation relaxation = graphs.relax()) {
        address = getDevice().getMemory().allocate(4096);
      }
      stream.fill(address, (byte) 5, 4096);
      try (var graph = graphs.endCapture(stream)) {
        graph.launch(stream);
        DeviceBytes.assertFilled(stream, address, 4096, (byte) 5, "allocated during a capture");
      }
      getDevice().getMemory().free(address);
    }
  }

  @Test
  @DisplayName("the default stream is not captured, nor used while a blocking stream is")
  default void defaultStreamInCapture() {
    Graphs graphs = getCapturing();
    assertThrows(CaptureException.class, () -> graphs.beginCapture(getDevice().getDefaultStream()));
    try (Stream blocking = getDevice().createStream(StreamKind.BLOCKING)) {
      withMemory(
          4096,
          address -> {
            graphs.beginCapture(blocking);
            assertThrows(
                CaptureException.class,
                () -> getDevice().getDefaultStream().fill(address, (byte) 1, 4096));
            assertThrows(CaptureException.class, () -> graphs.endCapture(blocking));
          });
    }
    forgetMisuse();
  }

  @Test
  @DisplayName("a stream that joined the capture and got work must be joined back")
  default void unjoined() {
    Graphs graphs = getCapturing();
    withMemory(
        4096,
        (stream, address) -> {
          try (Stream side = getDevice().createStream();
              Event fork = getDevice().createEvent()) {
            graphs.beginCapture(stream);
            fork.record(stream);
            side.waitFor(fork);
            side.fill(address, (byte) 1, 4096);
            assertThrows(CaptureException.class, () -> graphs.endCapture(stream));
            assertFalse(graphs.isCapturing(stream) || graphs.isCapturing(side));
            assertFalse(graphs.isAnyCapturing());
          }
        });
  }

  @Test
  @DisplayName("calls that Vramkit itself refuses do not invalidate the capture")
  default void refusedBeforehand() {
    Graphs graphs = getCapturing();
    withMemory(
        4096,
        (stream, address) -> {
          try (Stream other = getDevice().createStream()) {
            graphs.beginCapture(stream);
            ByteBuffer bytes = ByteBuffer.allocate(64);
            assertAll(
                refused(() -> stream.copyToDevice(address, bytes)),
                refused(() -> stream.copyToHost(bytes, address)),
                refused(() -> graphs.beginCapture(stream)),
                refused(() -> graphs.endCapture(other)));
            if (getDevice().supports(Capability.STREAM_ORDERED_MEMORY)) {
              assertThrows(
                  CaptureException.class,
                  () -> getDevice().getStreamOrderedMemory().allocate(64, stream));
            }
            stream.fill(address, (byte) 9, 4096);
            try (var graph = graphs.endCapture(stream)) {
              graph.launch(other);
              DeviceBytes.assertFilled(other, address, 4096, (byte) 9, "still captured");
            }
          }
        });
  }

  private static Executable refused(Executable call) {
    return () -> assertThrows(CaptureException.class, call);
  }

  /**
   * Makes a call in a capture after recording an event, and asserts that the call and the end of
   * the capture throw.
   */
  private void assertInvalidates(BiConsumer<Stream, Event> call) {
    Graphs graphs = getCapturing();
    try (Stream stream = getDevice().createStream();
        Event event = getDevice().createEvent()) {
      graphs.beginCapture(stream);
      event.record(stream);
      CaptureException refusal =
          assertThrows(CaptureException.class, () -> call.accept(stream, event));
      assertTrue(refusal.getStatus().isFromDriver(), refusal::toString);
      assertThrows(CaptureException.class, () -> graphs.endCapture(stream));
      assertFalse(graphs.isAnyCapturing());
    }
    forgetMisuse();
  }

  private Graphs getCapturing() {
    assumeSupported(Capability.GRAPHS);
    return getDevice().getGraphs();
  }
}
