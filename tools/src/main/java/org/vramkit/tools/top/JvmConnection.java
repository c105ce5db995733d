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
   * @param target the number of a process, or host:port; empty for the only other JVM here
   * @throws UsageException if that is none, or if there is none or more than one
   */
  public static JvmConnection to(String target) {
    if (target.isEmpty()) {
      return toProcess(onlyOther());
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

  private static String onlyOther() {
    List<VirtualMachineDescriptor> all = list();
    if (all.size() == 1) {
      return all.get(0).id();
    }
    throw new UsageException("say which JVM by the number of its process; " + others());
  }

  private static List<VirtualMachineDescriptor> list() {
    String own = Long.toString(ProcessHandle.current().pid());
    return VirtualMachine.list().stream().filter(each -> !each.id().equals(own)).toList();
  }

  private static String others() {
    String names =
        list().stream()
            .map(each -> each.id() + " " + firstWord(each.displayName()))
            .collect(Collectors.joining(", "));
    return names.isEmpty() ? "no other JVM of this user runs here" : "there are " + names;
  }

  private static String firstWord(String text) {
    int end = text.indexOf(' ');
    return end < 0 ? text : text.substring(0, end);
  }

  /**
   * Attaching sends a signal that ends whoever does not catch it, and older JDKs do not look
   * whether the process does. A number that is one digit off is no reason to end an editor.
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

  /** What went wrong at the bottom, without the layers that each repeat the one beneath. */
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
