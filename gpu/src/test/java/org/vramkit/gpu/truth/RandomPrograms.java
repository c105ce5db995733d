package org.vramkit.gpu.truth;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.StreamKind;

/** The kinds of random programs, each with the letters that its ids begin with. */
enum RandomPrograms {
  ALL("programs", "programs", "R", 1),
  POOLS("pool-programs", "programs of pools", "RP", 1),
  BLOCKS("block-programs", "programs of plain memory", "RB", 1),
  RANGES("range-programs", "programs of virtual memory", "RV", 1),
  CAPTURES("capture-programs", "programs of captures", "RC", 1),
  ALL_OF_TWO("pair-programs", "programs of two devices", "2R", 2),
  POOLS_OF_TWO("pair-pool-programs", "programs of pools of two devices", "2RP", 2),
  BLOCKS_OF_TWO("pair-block-programs", "programs of plain memory of two devices", "2RB", 2),
  RANGES_OF_TWO("pair-range-programs", "programs of virtual memory of two devices", "2RV", 2),
  CAPTURES_OF_TWO("pair-capture-programs", "programs of captures of two devices", "2RC", 2),
  ACCESS_OF_TWO("pair-access-programs", "programs of access between two devices", "2RA", 2);

  /** Programs that share a backend. */
  static final int BATCH = 200;

  /** One batch of so many uses managed memory. */
  private static final int MANAGED = 4;

  /** The name of the part of the suite. */
  final String part;

  final String title;
  final String letters;
  final int devices;

  RandomPrograms(String part, String title, String letters, int devices) {
    this.part = part;
    this.title = title;
    this.letters = letters;
    this.devices = devices;
  }

  /** Returns whether an id is of one of these programs. */
  boolean has(String id) {
    return id.matches(letters + "\\d+");
  }

  /**
   * Returns what makes programs on prepared devices.
   *
   * @param first the first seed of a batch
   */
  LongFunction<RandomProgram> on(List<Lab> labs, int first) {
    Lab lab = labs.get(0);
    List<Device> on = labs.stream().map(each -> each.device).toList();
    List<Stream> streams = new ArrayList<>();
    List<Long> memory = new ArrayList<>();
    for (Lab each : labs) {
      streams.addAll(streams(each));
      while (memory.size() < streams.size()) {
        memory.add(each.work);
      }
    }
    return switch (this) {
      case ALL -> {
        boolean managed = first / BATCH % MANAGED == MANAGED - 1;
        yield seed -> new Program(streams, seed, managed);
      }
      case ALL_OF_TWO -> seed -> new PairProgram(streams, seed);
      case POOLS, POOLS_OF_TWO -> {
        List<Stream> apart = new ArrayList<>();
        for (Lab each : labs) {
          for (int i = 0; i < Program.STREAMS; i++) {
            apart.add(each.kept(each.device.createStream()));
          }
        }
        yield seed -> new PoolProgram(apart, memory, seed);
      }
      case BLOCKS, BLOCKS_OF_TWO -> seed -> new BlockProgram(on, seed);
      case RANGES -> seed -> new RangeProgram(List.of(streams.get(3)), seed);
      case RANGES_OF_TWO -> seed -> new RangeProgram(List.of(streams.get(3), streams.get(7)), seed);
      case CAPTURES, CAPTURES_OF_TWO -> seed -> new CaptureProgram(lab, streams, memory, seed);
      case ACCESS_OF_TWO -> seed -> new AccessProgram(streams, seed);
    };
  }

  private static List<Stream> streams(Lab lab) {
    Device device = lab.device;
    List<Stream> streams = new ArrayList<>();
    streams.add(device.getDefaultStream());
    streams.add(lab.kept(device.createStream(StreamKind.BLOCKING)));
    for (int i = streams.size(); i < Program.STREAMS; i++) {
      streams.add(lab.kept(device.createStream()));
    }
    return streams;
  }
}
