package org.vramkit.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.caching.CachingAllocatorMXBean;

@DisplayName("Another JVM's allocators")
class RemoteControlTest {
  private static final String ALLOWED = "-Dvramkit.remote-control=true";

  @Test
  @DisplayName("take a limit and are trimmed if their JVM allows it")
  void allowed() throws IOException, InterruptedException {
    try (BusyJvm jvm = new BusyJvm(List.of(ALLOWED))) {
      Run first = Run.of("limit", jvm.getNumber(), "20GiB");
      assertEquals("allocator 1: limit 20.00 GiB, before none", first.out().strip(), first.err());
      Run second = Run.of("limit", jvm.getNumber(), "30GiB");
      assertEquals("allocator 1: limit 30.00 GiB, before 20.00 GiB", second.out().strip());
      Run trimmed = Run.of("trim", jvm.getNumber());
      assertEquals(0, trimmed.code(), trimmed.err());
      assertEquals("allocator 1: free memory beyond 0 B is returned", trimmed.out().strip());
      jvm.finish();
    }
  }

  @Test
  @DisplayName("refuse changes if their JVM does not allow them, and name the remedy")
  void refused() throws IOException, InterruptedException {
    try (BusyJvm jvm = new BusyJvm(List.of())) {
      String remedy = "start it with " + ALLOWED;
      Run.of("limit", jvm.getNumber(), "20GiB").failed(2, "allocator 1: ", "its limit", remedy);
      Run.of("trim", jvm.getNumber(), "--keep=1GiB").failed(2, "allocator 1: ", remedy);
      jvm.finish();
    }
  }

  @Test
  @DisplayName("are not asked if the command line is wrong")
  void wrong() {
    Run.of("limit").failed(2, "JVM", "see vramkit limit --help");
    Run.of("limit", "1").failed(2, "SIZE");
    Run.of("limit", "1", "lots").failed(2, "not a size: 'lots'");
    Run.of("trim", "--keep=lots").failed(2, "not a size: 'lots'");
  }

  @Test
  @DisplayName("are reported if they were closed meanwhile, or their JVM has ended")
  void gone() throws MalformedObjectNameException {
    StringWriter err = new StringWriter();
    RemoteControl control = new RemoteControl(new Errors(new PrintWriter(err)));
    ObjectName name = new ObjectName("org.vramkit:type=CachingAllocator,number=77");
    MBeanServer server = MBeanServerFactory.newMBeanServer();
    assertFalse(
        control.on(
            7,
            JMX.newMXBeanProxy(server, name, CachingAllocatorMXBean.class),
            (n, bean) -> bean.trim(0)));
    assertEquals("vramkit: allocator 7 was closed during the command", err.toString().strip());
    MBeanServerConnection ended =
        (MBeanServerConnection)
            Proxy.newProxyInstance(
                RemoteControlTest.class.getClassLoader(),
                new Class<?>[] {MBeanServerConnection.class},
                (proxy, method, arguments) -> {
                  throw new IOException("connection reset");
                });
    assertFalse(
        control.on(
            8,
            JMX.newMXBeanProxy(ended, name, CachingAllocatorMXBean.class),
            (n, bean) -> bean.trim(0)));
    assertTrue(err.toString().contains("allocator 8 does not answer"));
  }
}
