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
        server().registerMBean(log.bean, nameOf(log.device.getOrdinal(), log.number));
      } catch (InstanceAlreadyExistsException e) {
        return; // An earlier recording has registered it.
      } catch (JMException e) {
        throw new IllegalStateException(
            "cannot register " + describe(log.device.getOrdinal(), log.number), e);
      }
    }
  }

  static void remove(int device, long number) {
    if (isRunning()) {
      try {
        server().unregisterMBean(nameOf(device, number));
      } catch (InstanceNotFoundException e) {
        return; // The MBean server was started after the last recording.
      } catch (JMException e) {
        throw new IllegalStateException("cannot unregister " + describe(device, number), e);
      }
    }
  }

  private static boolean isRunning() {
    return !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  private static MBeanServer server() {
    return ManagementFactory.getPlatformMBeanServer();
  }

  private static String describe(int device, long number) {
    return "the MXBean of allocator " + number + " of device " + device;
  }

  private static ObjectName nameOf(int device, long number) throws JMException {
    return new ObjectName(
        "org.vramkit:type=CachingAllocator,device=" + device + ",number=" + number);
  }
}
