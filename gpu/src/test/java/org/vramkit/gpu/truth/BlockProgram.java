package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Device;
import org.vramkit.api.device.PeerAccess;

/**
 * Random plain allocations of one device or of two, most of them small. The answers are their
 * places in pages of 2 MiB, the block with which they share their page, and free memory.
 */
final class BlockProgram implements RandomProgram {

  private static final int MOST_BITS = 22;

  private record Block(int number, long address) {}

  private final SplittableRandom random;
  private final List<Device> devices;
  private final List<Block> live = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private int numbers;

  BlockProgram(List<Device> devices, long seed) {
    this.devices = devices;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    FreeMemory before = FreeMemory.of(devices);
    for (int i = 0; i < Program.CALLS; i++) {
      answers.add(i + " " + step() + "; " + before.text());
    }
    live.forEach(each -> devices.get(0).getMemory().free(each.address));
    answers.add("left " + before.text());
    if (devices.size() > 1) {
      devices.get(0).getPeerAccess().disable(devices.get(1));
      devices.get(1).getPeerAccess().disable(devices.get(0));
    }
    return answers;
  }

  private String step() {
    if (devices.size() > 1 && random.nextInt(16) == 0) {
      return peers();
    }
    return random.nextInt(5) < 3 ? allocate() : free();
  }

  private String peers() {
    int of = random.nextInt(devices.size());
    PeerAccess access = devices.get(of).getPeerAccess();
    Device other = devices.get(1 - of);
    return random.nextBoolean()
        ? Program.answer("access of " + of, () -> access.enable(other))
        : Program.answer("end of the access of " + of, () -> access.disable(other));
  }

  private Device any() {
    return devices.get(devices.size() == 1 ? 0 : random.nextInt(devices.size()));
  }

  private String allocate() {
    long most = 1L << random.nextInt(MOST_BITS + 1);
    long bytes = random.nextBoolean() ? most : 1 + random.nextLong(most);
    Device device = any();
    long address = device.getMemory().allocate(bytes);
    long page = address / PAGE;
    String beside =
        live.stream()
            .filter(each -> each.address / PAGE == page)
            .map(each -> " with #" + each.number)
            .findFirst()
            .orElse(" alone");
    live.add(new Block(numbers, address));
    String home = devices.size() == 1 ? "" : " on " + device.getOrdinal();
    return "alloc #" + numbers++ + " of " + bytes + home + ": at " + address % PAGE + beside;
  }

  private String free() {
    if (live.isEmpty()) {
      return "nothing to free";
    }
    Block block = live.remove(random.nextInt(live.size()));
    Device device = any();
    return Program.answer("free of #" + block.number, () -> device.getMemory().free(block.address));
  }
}
