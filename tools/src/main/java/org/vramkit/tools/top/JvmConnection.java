package org.vramkit.tools.top;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.vramkit.tools.replay.UsageException;

/**
 * A JMX connection to another JVM, which is named by process id on this machine, or by host and
 * port.
 */
public final class JvmConnection implements AutoCloseable {
  private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]+\\]|[^:/]+):(\\d+)");
  private static final int LAST_PORT = 65535;
  private static final int SIGQUIT = 3;

  /** System property in which the pool publishes its number of open allocators. */
  private static final String OPEN_ALLOCATORS = "vramkit.open-allocators";

  private static final String CAUGHT_SIGNALS = "SigCgt:";

  private final String name;
  private final JMXConnector connector;

  private JvmConnection(String name, JMXConnector connector) {
    this.name = name;
    this.connector = connector;
  }

  /**
   * Connects to a JVM.
   *
   * @param target a process id or host:port; empty for the one JVM of this machine that has open
   *     allocators, else the only other JVM
   * @throws UsageException if there is no such JVM, or {@code target} is empty and several qualify
   */
  public static JvmConnection to(String target) {
    if (target.isEmpty()) {
      return toProcess(chosen());
    }
    if (target.matches("\\d+")) {
      return toProcess(target.replaceFirst("^0+(?=\\d)", ""));
    }
    Matcher remote = HOST_AND_PORT.matcher(target);
    if (remote.matches()) {
      requirePort(target, remote.group(2));
      return connect(target, "service:jmx:rmi:///jndi/rmi://" + target + "/jmxrmi");
    }
    throw new UsageException("'" + target + "' is neither a process id nor HOST:PORT; " + others());
  }

  private static void requirePort(String target, String digits) {
    BigInteger port = new BigInteger(digits);
    if (port.signum() == 0 || port.compareTo(BigInteger.valueOf(LAST_PORT)) > 0) {
      throw new UsageException(
          "'" + target + "': the port must be from 1 to " + LAST_PORT + ", not " + digits);
    }
  }

  private static String chosen() {
    List<VirtualMachineDescriptor> all = list();
    List<VirtualMachineDescriptor> busy =
        all.stream().filter(JvmConnection::hasAllocators).toList();
    if (busy.size() == 1) {
      return busy.get(0).id();
    }
    if (busy.isEmpty() && all.size() == 1) {
      return all.get(0).id();
    }
    throw new UsageException(
        busy.isEmpty()
            ? "no JVM on this machine has an open allocator; name a JVM by its process id: "
                + others()
            : "several JVMs have allocators; name a JVM by its process id: " + names(busy));
  }

  /** Reads a system property of that JVM, without starting its management agent. */
  private static boolean hasAllocators(VirtualMachineDescriptor jvm) {
    if (!takesAttaching(jvm.id())) {
      return false;
    }
    try {
      VirtualMachine machine = VirtualMachine.attach(jvm);
      try {
        String open = machine.getSystemProperties().getProperty(OPEN_ALLOCATORS, "0");
        return !open.equals("0");
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      // The JVM has ended, or belongs to another user.
      return false;
    }
  }

  private static List<VirtualMachineDescriptor> list() {
    String own = Long.toString(ProcessHandle.current().pid());
    return VirtualMachine.list().stream().filter(each -> !each.id().equals(own)).toList();
  }

  private static String others() {
    String names = names(list());
    return names.isEmpty() ? "no other JVM of this user is running" : "running JVMs: " + names;
  }

  private static String names(List<VirtualMachineDescriptor> all) {
    return all.stream()
        .map(each -> each.id() + " " + firstWord(each.displayName()))
        .collect(Collectors.joining(", "));
  }

  private static String firstWord(String text) {
    int end = text.indexOf(' ');
    return end < 0 ? text : text.substring(0, end);
  }

  /**
   * Rejects processes that have no handler for SIGQUIT. Attaching sends this signal, which would
   * end them; older JDKs do not check.
   */
  private static void requireJvm(String process) {
    if (!takesAttaching(process)) {
      throw new UsageException(
          "process "
              + process
              + " is not a JVM, or runs with -Xrs, so attaching could end it; name another JVM of this"
              + " user; "
              + others());
    }
  }

  private static boolean takesAttaching(String process) {
    List<String> status;
    try {
      status = Files.readAllLines(Path.of("/proc", process, "status"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // The process does not exist, which attaching reports, or the system has no /proc.
      return Files.exists(Path.of("/proc", "self", "status"))
          || list().stream().anyMatch(each -> each.id().equals(process));
    }
    return status.stream()
        .filter(line -> line.startsWith(CAUGHT_SIGNALS))
        .map(line -> new BigInteger(line.substring(CAUGHT_SIGNALS.length()).strip(), 16))
        .allMatch(caught -> caught.testBit(SIGQUIT - 1));
  }

  private static JvmConnection toProcess(String process) {
    requireJvm(process);
    VirtualMachine machine;
    try {
      machine = VirtualMachine.attach(process);
    } catch (AttachNotSupportedException | IOException e) {
      throw new UsageException(
          "cannot attach to process "
              + process
              + ": "
              + e.getMessage()
              + "; name a JVM of this user; "
              + others());
    }
    try {
      String address = machine.startLocalManagementAgent();
      machine.detach();
      return connect("process " + process, address);
    } catch (IOException e) {
      throw new UsageException(
          "process " + process + " cannot start its management agent: " + e.getMessage());
    }
  }

  @SuppressWarnings("BanJNDI") // The user chooses which JVM to trust.
  private static JvmConnection connect(String name, String url) {
    try {
      return new JvmConnection(name, JMXConnectorFactory.connect(new JMXServiceURL(url)));
    } catch (IOException | SecurityException e) {
      throw new UsageException(
          "cannot connect to "
              + name
              + ": "
              + innermost(e)
              + "; start that JVM with -Dcom.sun.management.jmxremote.port=PORT and the same property"
              + " with .authenticate=false and .ssl=false, see docs/observe.md");
    }
  }

  /** Describes the root cause, without the layers that repeat its message. */
  private static String innermost(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return last.getClass().getSimpleName() + ": " + last.getMessage();
  }

  MBeanServerConnection server() throws IOException {
    return connector.getMBeanServerConnection();
  }

  /** Returns the name of the JVM, as messages name it. */
  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The other JVM has ended, so the connection is closed.
    }
  }
}
