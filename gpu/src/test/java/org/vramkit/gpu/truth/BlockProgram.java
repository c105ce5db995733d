package org.vramkit.gpu.truth;

import static org.vramkit.gpu.truth.Probe.PAGE;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.vramkit.api.device.Device;

/**
 * Random plain allocations, most of them small. The answers are their places in pages of 2 MiB, the
 * block with which they share their page, and free memory.
 */
final class BlockProgram implements RandomProgram {

  private static final int MOST_BITS = 22;

  private record Block(int number, long address) {}

  private final SplittableRandom random;
  private final Device device;
  private final List<Block> live = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private int numbers;

  BlockProgram(Device device, long seed) {
    this.device = device;
    this.random = new SplittableRandom(seed);
  }

  @Override
  public List<String> run() {
    long before = device.getMemoryInfo().freeBytes();
    for (int i = 0; i < Program.CALLS; i++) {
      String answer = random.nextInt(5) < 3 ? allocate() : free();
      answers.add(i + " " + answer + "; " + (device.getMemoryInfo().freeBytes() - before));
    }
    live.forEach(each -> device.getMemory().free(each.address));
    answers.add("left " + (device.getMemoryInfo().freeBytes() - before));
    return answers;
  }

  private String allocate() {
    long most = 1L << random.nextInt(MOST_BITS + 1);
    long bytes = random.nextBoolean() ? most : 1 + random.nextLong(most);
    long address = device.getMemory().allocate(bytes);
    long page = address / PAGE;
    String beside =
        live.stream()
            .filter(each -> each.address / PAGE == page)
            .map(each -> " with #" + each.number)
            .findFirst()
            .orElse(" alone");
    live.add(new Block(numbers, address));
    return "alloc #" + numbers++ + " of " + bytes + ": at " + address % PAGE + beside;
  }

  private String free() {
    if (live.isEmpty()) {
      return "nothing to free";
    }
    Block block = live.remove(random.nextInt(live.size()));
    return Program.answer("free of #" + block.number, () -> device.getMemory().free(block.address));
  }
}
