package org.vramkit.pool.caching.internal.flight;

import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * Registers the MXBeans of allocators if the platform MBean server is running. Does not start it,
 * which would cost every program a tenth of a second.
 */
final class ManagementBeans {
  private ManagementBeans() {}

  /** Registers an MXBean, unless there is no MBean server or it is registered already. */
  static void add(FlightLog log) {
    if (isRunning()) {
      try {
        String device = Integer.toString(log.device.getOrdinal());
        server().registerMBean(log.bean, nameOf(device, log.number));
      } catch (InstanceAlreadyExistsException e) {
        return; // An earlier recording has registered it.
      } catch (JMException e) {
        throw new IllegalStateException("cannot register " + describe(log.number), e);
      }
    }
  }

  /**
   * Removes an MXBean, if there is one: the MBean server may be younger than the last recording.
   */
  static void remove(long number) {
    if (isRunning()) {
      try {
        for (ObjectName each : server().queryNames(nameOf("*", number), null)) {
          server().unregisterMBean(each);
        }
      } catch (InstanceNotFoundException e) {
        return; // Another thread has removed it.
      } catch (JMException e) {
        throw new IllegalStateException("cannot unregister " + describe(number), e);
      }
    }
  }

  private static boolean isRunning() {
    return !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static String describe(long number) {
    return "the MXBean of allocator " + number;
  }

  private static ObjectName nameOf(String device, long number) throws JMException {
    return new ObjectName(
        "org.vramkit:type=CachingAllocator,device=" + device + ",number=" + number);
  }
}
