package org.vramkit.sim.mutation;

import static org.vramkit.sim.mutation.Line.needed;
import static org.vramkit.sim.mutation.Line.work;

import org.vramkit.api.device.StreamKind;
import org.vramkit.api.device.VirtualMemory;
import org.vramkit.sim.SimEvent;
import org.vramkit.sim.SimStream;
import org.vramkit.sim.hazard.HazardCode;
import org.vramkit.sim.mutation.Stage.Memory;

/** The vocabulary of programs; a line that takes a code is synchronisation, the others are work. */
final class Lines {
  private Lines() {}

  // ---- where things are ----

  static Line blocking(String stream) {
    return work(
        "open blocking stream " + stream,
        stage -> stage.stream(stream, stage.getDevice(0).createStream(StreamKind.BLOCKING)));
  }

  static Line stream(String stream, int device) {
    return work(
        "open stream " + stream + " on device " + device,
        stage -> stage.stream(stream, stage.getDevice(device).createStream()));
  }

  static Line legacy(String stream) {
    return work(
        "call the legacy default stream " + stream,
        stage -> stage.stream(stream, stage.getDevice(0).getDefaultStream()));
  }

  static Line memory(String memory, int device) {
    return work(
        "allocate " + memory + " on device " + device,
        stage ->
            stage.memory(
                memory, stage.getDevice(device).getMemory().allocate(Stage.SIZE), Stage.SIZE));
  }

  // ---- work ----

  static Line write(String stream, String memory) {
    return work(stream + " writes " + memory, stage -> stage.write(stream, stage.memory(memory)));
  }

  static Line read(String stream, String memory) {
    return work(stream + " reads " + memory, stage -> stage.read(stream, stage.memory(memory)));
  }

  /** Part {@code part} of {@code parts} equal ones, from 0. */
  static Line writePart(String stream, String memory, int part, int parts) {
    return work(
        stream + " writes part " + part + " of " + memory,
        stage -> stage.write(stream, part(stage.memory(memory), part, parts)));
  }

  static Line readPart(String stream, String memory, int part, int parts) {
    return work(
        stream + " reads part " + part + " of " + memory,
        stage -> stage.read(stream, part(stage.memory(memory), part, parts)));
  }

  private static Memory part(Memory whole, int part, int parts) {
    long bytes = whole.bytes() / parts;
    return new Memory(whole.address() + part * bytes, bytes);
  }

  static Line copy(String stream, String target, String source) {
    return work(
        stream + " copies " + source + " to " + target,
        stage ->
            stage.stream(stream)
                .copy(
                    stage.memory(target).address(),
                    stage.memory(source).address(),
                    stage.memory(source).bytes()));
  }

  static Line fill(String stream, String memory) {
    return work(
        stream + " fills " + memory,
        stage ->
            stage.stream(stream)
                .fill(stage.memory(memory).address(), (byte) 1, stage.memory(memory).bytes()));
  }

  static Line close(String stream) {
    return work("close " + stream, stage -> stage.stream(stream).close());
  }

  // ---- order ----

  static Line record(String event, String stream, HazardCode ifMissing) {
    return needed(
        "record " + event + " on " + stream,
        ifMissing,
        stage -> {
          SimStream marked = stage.stream(stream);
          stage.event(event, marked.getDevice()).record(marked);
        });
  }

  static Line await(String stream, String event, HazardCode ifMissing) {
    return needed(
        stream + " waits for " + event,
        ifMissing,
        stage -> {
          SimStream waiting = stage.stream(stream);
          waiting.waitFor(stage.event(event, waiting.getDevice()));
        });
  }

  /** A launch that is needed for its place in the default stream alone. */
  static Line barrier(String stream, String memory, HazardCode ifMissing) {
    return needed(
        stream + " writes " + memory,
        ifMissing,
        stage -> stage.write(stream, stage.memory(memory)));
  }

  static Line synchronize(String stream, HazardCode ifMissing) {
    return needed("synchronise " + stream, ifMissing, stage -> stage.stream(stream).synchronize());
  }

  static Line synchronizeDevice(int device, HazardCode ifMissing) {
    return needed(
        "synchronise device " + device, ifMissing, stage -> stage.getDevice(device).synchronize());
  }

  static Line synchronizeEvent(String event, HazardCode ifMissing) {
    return needed(
        "synchronise " + event,
        ifMissing,
        stage -> stage.event(event, stage.getDevice(0)).synchronize());
  }

  static Line pollEvent(String event, HazardCode ifMissing) {
    return needed(
        "ask " + event + " until it is complete",
        ifMissing,
        stage -> {
          SimEvent asked = stage.event(event, stage.getDevice(0));
          while (!asked.isComplete()) {
            stage.pass();
          }
        });
  }

  static Line pollStream(String stream, HazardCode ifMissing) {
    return needed(
        "ask " + stream + " until it is idle",
        ifMissing,
        stage -> {
          while (!stage.stream(stream).isIdle()) {
            stage.pass();
          }
        });
  }

  // ---- the driver's memory ----

  static Line free(String memory) {
    return work(
        "free " + memory,
        stage -> stage.getDevice(0).getMemory().free(stage.memory(memory).address()));
  }

  static Line allocate(String memory, String stream) {
    return work(
        "allocate " + memory + " in the order of " + stream,
        stage ->
            stage.memory(
                memory,
                stage
                    .getDevice(0)
                    .getStreamOrderedMemory()
                    .allocate(Stage.SIZE, stage.stream(stream)),
                Stage.SIZE));
  }

  static Line free(String memory, String stream) {
    return work(
        "free " + memory + " in the order of " + stream,
        stage ->
            stage
                .getDevice(0)
                .getStreamOrderedMemory()
                .free(stage.memory(memory).address(), stage.stream(stream)));
  }

  static Line reserve(String memory) {
    return work(
        "reserve addresses " + memory,
        stage -> {
          VirtualMemory virtual = stage.getDevice(0).getVirtualMemory();
          stage.memory(memory, virtual.reserve(virtual.getGranularity()), virtual.getGranularity());
        });
  }

  /** Maps the one page that a program has, which is created when it is first mapped. */
  static Line map(String page, String memory) {
    return work(
        "map " + page + " at " + memory,
        stage -> {
          VirtualMemory virtual = stage.getDevice(0).getVirtualMemory();
          Memory range = stage.memory(memory);
          virtual.map(range.address(), range.bytes(), stage.page(page));
        });
  }

  static Line allowAccess(String memory, HazardCode ifMissing) {
    return needed(
        "allow access to " + memory,
        ifMissing,
        stage -> {
          Memory range = stage.memory(memory);
          stage
              .getDevice(0)
              .getVirtualMemory()
              .setAccess(range.address(), range.bytes(), stage.getDevice(0));
        });
  }

  static Line unmap(String memory) {
    return work(
        "unmap " + memory,
        stage -> {
          Memory range = stage.memory(memory);
          stage.getDevice(0).getVirtualMemory().unmap(range.address(), range.bytes());
        });
  }

  static Line enablePeer(int device, int owner, HazardCode ifMissing) {
    return needed(
        "let device " + device + " touch memory of device " + owner,
        ifMissing,
        stage -> stage.getDevice(device).getPeerAccess().enable(stage.getDevice(owner)));
  }

  // ---- pools ----

  static Line take(String block, String stream) {
    return work(
        "the pool gives " + block + " to " + stream,
        stage ->
            stage.memory(
                block, stage.getPool().allocate(Stage.SIZE, stage.stream(stream)), Stage.SIZE));
  }

  static Line recordUse(String block, String stream, HazardCode ifMissing) {
    return needed(
        "record that " + stream + " uses " + block,
        ifMissing,
        stage -> stage.getPool().recordUse(stage.memory(block).address(), stage.stream(stream)));
  }

  static Line giveBack(String block) {
    return work(
        "give " + block + " back to the pool",
        stage -> stage.getPool().free(stage.memory(block).address()));
  }

  /** What a pool tells, for programs that are a pool themselves. */
  static Line tellAllocated(String memory, int part, int parts, String stream) {
    return work(
        "a pool hands out part " + part + " of " + memory + " on " + stream,
        stage -> {
          Memory block = part(stage.memory(memory), part, parts);
          stage
              .getDevice(0)
              .getMemoryObserver()
              .allocated(block.address(), block.bytes(), stage.stream(stream));
        });
  }

  static Line tellFreed(String memory, int part, int parts, String stream) {
    return work(
        "a pool takes back part " + part + " of " + memory + " on " + stream,
        stage ->
            stage
                .getDevice(0)
                .getMemoryObserver()
                .freed(part(stage.memory(memory), part, parts).address(), stage.stream(stream)));
  }
}
