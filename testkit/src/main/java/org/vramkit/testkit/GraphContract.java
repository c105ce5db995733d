package org.vramkit.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Capability;
import org.vramkit.api.device.CopyBatch;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Event;
import org.vramkit.api.device.Graph;
import org.vramkit.api.device.Graphs;
import org.vramkit.api.device.PinnedBuffer;
import org.vramkit.api.device.Stream;
import org.vramkit.api.error.ClosedException;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;

/** Tests the capture and launch of work. */
interface GraphContract extends KitContext {

  @Test
  @DisplayName("captured work runs with each launch and not before")
  default void capturedWorkRunsWithLaunches() {
    Graphs graphs = getGraphs();
    withMemory(
        2 * ByteSize.MIB,
        (stream, address) -> {
          stream.fill(address, (byte) 1, 2 * ByteSize.MIB);
          stream.synchronize();
          assertFalse(graphs.isAnyCapturing());
          graphs.beginCapture(stream);
          assertTrue(graphs.isCapturing(stream) && graphs.isAnyCapturing());
          stream.fill(address, (byte) 7, ByteSize.MIB);
          stream.copy(address + ByteSize.MIB, address, ByteSize.MIB);
          try (Graph graph = graphs.endCapture(stream)) {
            assertFalse(graphs.isCapturing(stream) || graphs.isAnyCapturing());
            assertSameDevice(graph.getDevice(), "a graph");
            DeviceBytes.assertFilled(stream, address, 2 * ByteSize.MIB, (byte) 1, "captured");
            for (int launch = 0; launch < 100; launch++) {
              stream.fill(address, (byte) 2, 2 * ByteSize.MIB);
              graph.launch(stream);
            }
            DeviceBytes.assertFilled(stream, address, 2 * ByteSize.MIB, (byte) 7, "launched");
          }
        });
  }

  @Test
  @DisplayName(
      "a stream joins a capture by an event and is joined back by another; each launch copies"
          + " again")
  default void forkAndJoin() {
    Graphs graphs = getGraphs();
    assumeSupported(Capability.PINNED_HOST_MEMORY);
    withMemory(
        8192,
        (stream, address) -> {
          try (Stream side = getDevice().createStream();
              Event fork = getDevice().createEvent();
              Event join = getDevice().createEvent();
              PinnedBuffer source = getDevice().getPinnedMemory().allocate(4096)) {
            graphs.beginCapture(stream);
            stream.copyToDevice(address, source, 0, 4096);
            fork.record(stream);
            side.waitFor(fork);
            assertTrue(graphs.isCapturing(side), "joined the capture");
            side.copy(address + 4096, address, 4096);
            join.record(side);
            stream.waitFor(join);
            try (Graph graph = graphs.endCapture(stream)) {
              assertFalse(graphs.isCapturing(side), "not captured after the end");
              for (byte value = 1; value <= 3; value++) {
                fill(source, value);
                graph.launch(side);
                DeviceBytes.assertFilled(side, address, 8192, value, "launch " + value);
              }
            }
          }
        });
  }

  @Test
  @DisplayName("a batch of copies is captured as its copies are")
  default void capturedBatch() {
    Graphs graphs = getGraphs();
    assumeSupported(Capability.PINNED_HOST_MEMORY);
    withMemory(
        8192,
        (stream, address) -> {
          try (PinnedBuffer source = getDevice().getPinnedMemory().allocate(4096)) {
            CopyBatch batch = CopyBatch.toDevice();
            batch.add(0, address, 2048);
            batch.add(2048, address + 4096, 2048);
            graphs.beginCapture(stream);
            stream.copyAll(batch, source);
            try (Graph graph = graphs.endCapture(stream)) {
              for (byte value = 1; value <= 3; value++) {
                fill(source, value);
                graph.launch(stream);
                DeviceBytes.assertFilled(stream, address, 2048, value, "launch " + value);
                DeviceBytes.assertFilled(stream, address + 4096, 2048, value, "launch " + value);
              }
            }
          }
        });
  }

  private static void fill(PinnedBuffer buffer, byte value) {
    byte[] bytes = new byte[4096];
    Arrays.fill(bytes, value);
    buffer.getBytes(0, bytes.length).put(bytes);
  }

  @Test
  @DisplayName("launches of a graph on two streams run one after the other")
  default void launchesInOrder() {
    Graphs graphs = getGraphs();
    withMemory(
        128 * ByteSize.MIB,
        (stream, address) -> {
          try (Stream other = getDevice().createStream()) {
            graphs.beginCapture(stream);
            stream.fill(address, (byte) 3, 64 * ByteSize.MIB);
            stream.copy(address + 64 * ByteSize.MIB, address, 64 * ByteSize.MIB);
            try (Graph graph = graphs.endCapture(stream)) {
              for (int round = 0; round < 4; round++) {
                graph.launch(stream);
                graph.launch(other);
              }
              DeviceBytes.assertFilled(other, address, 128 * ByteSize.MIB, (byte) 3, "both");
            }
          }
        });
  }

  @Test
  @DisplayName("a closed graph cannot be used, and closing it twice is harmless")
  default void closedGraph() {
    Graphs graphs = getGraphs();
    try (Stream stream = getDevice().createStream()) {
      graphs.beginCapture(stream);
      Graph graph = graphs.endCapture(stream);
      assertFalse(graph.isClosed());
      graph.launch(stream);
      graph.close();
      graph.close();
      assertTrue(graph.isClosed());
      assertThrows(ClosedException.class, () -> graph.launch(stream));
    }
    forgetMisuse();
  }

  @Test
  @DisplayName("a graph is launched on streams of its device")
  default void launchOnAnotherDevice() {
    Graphs graphs = getGraphs();
    try (Stream stream = getDevice().createStream();
        Stream other = getSecondDevice().createStream()) {
      assertThrows(InvalidArgumentException.class, () -> graphs.beginCapture(other));
      graphs.beginCapture(stream);
      try (Graph graph = graphs.endCapture(stream)) {
        assertThrows(InvalidArgumentException.class, () -> graph.launch(other));
      }
    }
    forgetMisuse();
  }

  @Test
  @DisplayName("graphs can be created and closed while the thread captures, also on another device")
  default void graphsWhileCapturing() {
    Graphs graphs = getGraphs();
    Device second = getSecondDevice();
    try (Stream stream = getDevice().createStream();
        Stream other = second.createStream()) {
      second.getGraphs().beginCapture(other);
      graphs.beginCapture(stream);
      graphs.endCapture(stream).close();
      try (Graph graph = second.getGraphs().endCapture(other)) {
        assertEquals(second, graph.getDevice());
      }
    }
  }

  @Test
  @DisplayName("listeners are called when the first capture begins and the last one has ended")
  default void captureListeners() {
    Graphs graphs = getGraphs();
    int[] calls = new int[1];
    Runnable listener = () -> calls[0]++;
    graphs.addCaptureListener(listener);
    try (Stream stream = getDevice().createStream();
        Stream other = getDevice().createStream()) {
      graphs.beginCapture(stream);
      graphs.beginCapture(other);
      assertEquals(1, calls[0]);
      graphs.endCapture(stream).close();
      assertEquals(1, calls[0]);
      graphs.endCapture(other).close();
      assertEquals(2, calls[0]);
      graphs.removeCaptureListener(listener);
      graphs.beginCapture(stream);
      graphs.endCapture(stream).close();
      assertEquals(2, calls[0]);
    }
  }

  private Graphs getGraphs() {
    assumeSupported(Capability.GRAPHS);
    return getDevice().getGraphs();
  }
}
