package org.vramkit.cuda;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("17.26 Host memory that may be touched")
class HostHeadroomTest {
  private static final long MIB = 1 << 20;

  @TempDir Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  /** Asserts that a size just fits into seven eighths of what is free. */
  private void assertFree(long bytes) {
    HostHeadroom headroom = new HostHeadroom(root);
    assertFalse(headroom.claim(bytes / 8 * 7 + 1));
    assertTrue(headroom.claim(bytes / 8 * 7));
    HostHeadroom.touched(bytes / 8 * 7);
  }

  @Test
  @DisplayName("17.26 is none where the system does not tell, as Windows")
  void unknown() {
    assertFalse(new HostHeadroom(root).claim(1));
  }

  @Test
  @DisplayName("17.26 is what the machine has available, without a limit")
  void ofMachine() throws IOException {
    write("proc/meminfo", "MemTotal:  9000 kB\nMemAvailable:   8192 kB\n");
    assertFree(8 * MIB);
    write("proc/self/cgroup", "0::/user/one\n");
    write("sys/fs/cgroup/user/one/memory.max", "max\n");
    write("sys/fs/cgroup/user/one/memory.current", "4096\n");
    assertFree(8 * MIB);
  }

  @Test
  @DisplayName("17.26 is without what others will touch, in whole or in part")
  void claimed() throws IOException {
    write("proc/meminfo", "MemAvailable:   8192 kB\n");
    HostHeadroom headroom = new HostHeadroom(root);
    assertTrue(headroom.claim(4 * MIB));
    assertFalse(new HostHeadroom(root).claim(4 * MIB));
    HostHeadroom.touched(MIB);
    assertTrue(new HostHeadroom(root).claim(4 * MIB));
    HostHeadroom.touched(7 * MIB);
    assertFree(8 * MIB);
  }

  @Test
  @DisplayName("17.26 is no more than what the control group and those around it leave")
  void ofControlGroups() throws IOException {
    write("proc/meminfo", "MemAvailable:   1048576 kB\n");
    write("proc/self/cgroup", "0::/user/one\n");
    write("sys/fs/cgroup/user/memory.max", 64 * MIB + "\n");
    write("sys/fs/cgroup/user/memory.current", 48 * MIB + "\n");
    assertFree(16 * MIB);
    write("sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file " + 8 * MIB + "\nfile 7\n");
    assertFree(24 * MIB);
    write("sys/fs/cgroup/user/one/memory.max", 8 * MIB + "\n");
    write("sys/fs/cgroup/user/one/memory.current", "0\n");
    assertFree(8 * MIB);
  }

  @Test
  @DisplayName("17.26 knows the control groups of older kernels")
  void ofOlderControlGroups() throws IOException {
    write("proc/meminfo", "MemAvailable:   1048576 kB\n");
    write("proc/self/cgroup", "5:cpu:/a\n4:hugetlb,memory:/docker/b\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", 32 * MIB + "\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", 24 * MIB + "\n");
    assertFree(8 * MIB);
  }

  @Test
  @DisplayName("17.26 is what the root leaves to a control group outside of its name space")
  void outsideOfNameSpace() throws IOException {
    write("proc/meminfo", "MemAvailable:   1048576 kB\n");
    write("proc/self/cgroup", "0::/../payload\n");
    write("sys/fs/cgroup/memory.max", 32 * MIB + "\n");
    write("sys/fs/cgroup/memory.current", 24 * MIB + "\n");
    assertFree(8 * MIB);
    write("proc/self/cgroup", "4:memory:/../../payload\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", 64 * MIB + "\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", 48 * MIB + "\n");
    assertFree(16 * MIB);
  }
}
