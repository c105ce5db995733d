package org.vramkit.tools.top;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import jdk.management.jfr.FlightRecorderMXBean;
import org.vramkit.pool.caching.CachingAllocatorMXBean;
import org.vramkit.tools.replay.UsageException;

/** Finds the MXBeans of another JVM's allocators. */
public final class RemoteAllocators {
  private static final String BEANS = "org.vramkit:type=CachingAllocator,*";

  private RemoteAllocators() {}

  /**
   * Returns the open allocators of a JVM by their numbers.
   *
   * @throws UsageException if there is none
   */
  public static Map<Long, CachingAllocatorMXBean> of(JvmConnection connection) {
    try {
      MBeanServerConnection server = connection.server();
      List<ObjectName> names = names(server);
      if (names.isEmpty()) {
        announce(server);
        names = names(server);
      }
      if (names.isEmpty()) {
        throw new UsageException(
            connection
                + " has no open allocator that can be managed; the JVM must use Vramkit's caching"
                + " allocator and have the module jdk.jfr");
      }
      Map<Long, CachingAllocatorMXBean> beans = new TreeMap<>();
      for (ObjectName each : names) {
        beans.put(
            Long.valueOf(each.getKeyProperty("number")),
            JMX.newMXBeanProxy(server, each, CachingAllocatorMXBean.class));
      }
      return beans;
    } catch (IOException e) {
      throw new UncheckedIOException(connection + " does not answer: " + e.getMessage(), e);
    }
  }

  private static List<ObjectName> names(MBeanServerConnection server) throws IOException {
    try {
      return List.copyOf(server.queryNames(new ObjectName(BEANS), null));
    } catch (MalformedObjectNameException e) {
      throw new IllegalStateException(BEANS, e);
    }
  }

  /** Starts an empty recording, which makes the allocators of that JVM register their MXBeans. */
  private static void announce(MBeanServerConnection server) throws IOException {
    FlightRecorderMXBean recorder =
        ManagementFactory.newPlatformMXBeanProxy(
            server, FlightRecorderMXBean.MXBEAN_NAME, FlightRecorderMXBean.class);
    try {
      long recording = recorder.newRecording();
      recorder.startRecording(recording);
      recorder.closeRecording(recording);
    } catch (IllegalStateException e) {
      // No flight recorder: the caller finds no beans and reports that.
      return;
    }
  }
}
