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

/** The management of another JVM: of this machine by its process, of any by host and port. */
public final class JvmConnection implements AutoCloseable {
  private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[^\\]]+\\]|[^:/]+):(\\d+)");
  private static final int LAST_PORT = 65535;
  private static final int SIGQUIT = 3;

  /** The property of the pool with the number of its allocators. */
  private static final String OPEN_ALLOCATORS = "vramkit.open-allocators";

  private static final String CAUGHT_SIGNALS = "SigCgt:";

  private final String name;
  private final JMXConnector connector;

  private JvmConnection(String name, JMXConnector connector) {
    this.name = name;
    this.connector = connector;
  }

  /**
   * Connects.
   *
   * @param target the number of a process, or host:port; empty for the JVM here that has
   *     allocators, else the only other one
   * @throws UsageException if that is none, or if there is none or more than one
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
    throw new UsageException(
        "'" + target + "' is neither the number of a process nor host:port; " + others());
  }

  private static void requirePort(String target, String digits) {
    BigInteger port = new BigInteger(digits);
    if (port.signum() == 0 || port.compareTo(BigInteger.valueOf(LAST_PORT)) > 0) {
      throw new UsageException(
          "'" + target + "': a port is from 1 to " + LAST_PORT + ", not " + digits);
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
            ? "no JVM here has an open allocator; say which one by the number of its process: "
                + others()
            : "several JVMs here have allocators; say which one by the number of its process: "
                + names(busy));
  }

  /** Reads a property of that JVM, which starts nothing there. */
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
      // One that has ended meanwhile, or another user's.
      return false;
    }
  }

  private static List<VirtualMachineDescriptor> list() {
    String own = Long.toString(ProcessHandle.current().pid());
    return VirtualMachine.list().stream().filter(each -> !each.id().equals(own)).toList();
  }

  private static String others() {
    String names = names(list());
    return names.isEmpty() ? "no other JVM of this user runs here" : "there are " + names;
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
   * Attaching sends a signal that ends a process without a handler, and older JDKs do not check for
   * one. A number that is one digit off is no reason to end an editor.
   */
  private static void requireJvm(String process) {
    if (!takesAttaching(process)) {
      throw new UsageException(
          "process "
              + process
              + " is no JVM that can be asked, and asking would end it; it has to be a JVM of the same"
              + " user, without -Xrs; "
              + others());
    }
  }

  private static boolean takesAttaching(String process) {
    List<String> status;
    try {
      status = Files.readAllLines(Path.of("/proc", process, "status"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // There is no such process, which attaching tells; or the system has no such files.
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
              + "; it has to be a JVM of the same user; "
              + others());
    }
    try {
      String address = machine.startLocalManagementAgent();
      machine.detach();
      return connect("process " + process, address);
    } catch (IOException e) {
      throw new UsageException(
          "process " + process + " does not start its management: " + e.getMessage());
    }
  }

  @SuppressWarnings("BanJNDI") // Whom to trust is the choice of who names the other JVM.
  private static JvmConnection connect(String name, String url) {
    try {
      return new JvmConnection(name, JMXConnectorFactory.connect(new JMXServiceURL(url)));
    } catch (IOException | SecurityException e) {
      throw new UsageException(
          "cannot connect to "
              + name
              + ": "
              + innermost(e)
              + "; a JVM listens with -Dcom.sun.management.jmxremote.port=PORT, and .authenticate=false"
              + " and .ssl=false beside .port: docs/observe.md shows it");
    }
  }

  /** Returns the first cause's message, without the layers that repeat it. */
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

  /** Whom it is connected to. */
  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The other side has gone: there is nothing left to close.
    }
  }
}
