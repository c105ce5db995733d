package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.Stream;
import org.vramkit.api.device.VirtualMemory;

/** Random calls of virtual memory over one reservation, with memory of one device or two. */
final class RangeProgram implements RandomProgram {
  private static final int PAGES = 32;
  private static final int MOST_PAGES = 4;

  private record Physical(int number, long handle, int pages) {}

  private final SplittableRandom random;
  private final List<Device> devices;
  private final List<Stream> streams;
  private final List<Physical> handles = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private long base;
  private int numbers;

  /** Creates a program for one stream of each device. */
  RangeProgram(List<Stream> streams, long seed) {
    this.streams = streams;
    this.devices = streams.stream().map(Stream::getDevice).toList();
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    FreeMemory before = FreeMemory.of(devices);
    base = virtual().reserve(PAGES * PAGE);
    for (int i = 0; i < Program.CALLS; i++) {
      answers.add(i + " " + step());
    }
    answers.add(Program.answer("unmap of all", () -> virtual().unmap(base, PAGES * PAGE)));
    handles.forEach(each -> virtual().release(each.handle));
    answers.add(Program.answer("end", () -> virtual().unreserve(base, PAGES * PAGE)));
    before.changes().forEach(each -> answers.add("left " + each));
    return answers;
  }

  private VirtualMemory virtual() {
    return devices.get(random.nextInt(devices.size())).getVirtualMemory();
  }

  private String step() {
    int from = random.nextInt(PAGES);
    int pages = 1 + random.nextInt(Math.min(6, PAGES - from));
    long at = base + from * PAGE;
    String range = from + " " + pages + ": ";
    int of = random.nextInt(devices.size());
    Device device = devices.get(of);
    return switch (random.nextInt(20)) {
      case 0, 1, 2 -> create(of);
      case 3, 4, 5, 6, 7 -> map(from);
      case 8, 9 -> Program.answer("unmap of " + range, () -> virtual().unmap(at, pages * PAGE));
      case 10, 11, 12, 13 ->
          Program.answer(
              "access of " + of + " to " + range,
              () -> virtual().setAccess(at, pages * PAGE, device));
      case 14 ->
          Program.answer(
              "end of the access of " + of + " to " + range,
              () -> virtual().removeAccess(at, pages * PAGE, device));
      case 15, 16 ->
          Program.answer("fill of " + from + " by " + of, () -> fill(streams.get(of), at));
      case 17 -> release();
      case 18 -> Program.answer("end of " + range, () -> virtual().unreserve(at, pages * PAGE));
      default -> Program.answer("end of all", this::anew);
    };
  }

  /** Fills a page, and waits, because an unmapping does not. */
  private static void fill(Stream stream, long at) {
    stream.fill(at, (byte) 1, PAGE);
    stream.synchronize();
  }

  private void anew() {
    virtual().unreserve(base, PAGES * PAGE);
    base = virtual().reserve(PAGES * PAGE);
  }

  private String create(int of) {
    int pages = 1 + random.nextInt(MOST_PAGES);
    long handle = devices.get(of).getVirtualMemory().create(pages * PAGE);
    handles.add(new Physical(numbers, handle, pages));
    return "create #" + numbers++ + " of " + pages + " on " + of;
  }

  private String map(int from) {
    if (handles.isEmpty()) {
      return "nothing to map";
    }
    Physical one = handles.get(random.nextInt(handles.size()));
    int pages = random.nextInt(8) == 0 ? one.pages + 1 : one.pages;
    if (from + pages > PAGES) {
      return "no place";
    }
    return Program.answer(
        "map of #" + one.number + " at " + from + " " + pages,
        () -> virtual().map(base + from * PAGE, pages * PAGE, one.handle));
  }

  private String release() {
    if (handles.isEmpty()) {
      return "nothing to release";
    }
    Physical one = handles.remove(random.nextInt(handles.size()));
    FreeMemory before = FreeMemory.of(devices);
    virtual().release(one.handle);
    return "release of #" + one.number + " " + before.text();
  }
}
