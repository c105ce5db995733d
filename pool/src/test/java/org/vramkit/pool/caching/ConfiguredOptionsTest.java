package org.vramkit.pool.caching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.vramkit.api.error.InvalidArgumentException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.pool.caching.internal.option.CachingAllocatorOptions;
import org.vramkit.pool.caching.internal.option.Option;
import org.vramkit.pool.caching.internal.option.RoundingDivisions;

@DisplayName("17.26 Options from outside of the program")
class ConfiguredOptionsTest {
  private final Sandbox box = Sandbox.standard();
  private final Properties properties = new Properties();

  @AfterEach
  void close() {
    box.close();
    System.clearProperty("vramkit.allocator.limit");
  }

  private CachingAllocatorBuilder configured(String variable) {
    CachingAllocatorBuilder builder = new CachingAllocatorBuilder(box.device);
    ConfiguredOptions.apply(
        builder, Map.of("VRAMKIT_ALLOCATOR_CONF", variable, "LIMIT", "1MiB"), properties);
    return builder;
  }

  @Test
  @DisplayName("17.26 come by one environment variable, lists among them")
  void variable() {
    CachingAllocatorOptions options =
        configured("limit=4GiB, decay = 10,rounding-divisions=64:8,256:2,steal=never,").options();
    assertEquals(4 * ByteSize.GIB, options.get(Option.LIMIT));
    assertEquals(Duration.ofSeconds(10), options.get(Option.DECAY));
    assertEquals(RoundingDivisions.parse("64:8,256:2"), options.get(Option.ROUNDING_DIVISIONS));
    assertEquals(StealPolicy.NEVER, options.get(Option.STEAL));
    assertEquals(Long.MAX_VALUE, configured("").options().get(Option.LIMIT));
  }

  @Test
  @DisplayName("17.26 come by system properties, which count more than the variable")
  void properties() {
    properties.setProperty("vramkit.allocator.limit", "2GiB");
    properties.setProperty("vramkit.sim.devices", "2");
    assertEquals(2 * ByteSize.GIB, configured("limit=4GiB").options().get(Option.LIMIT));
  }

  @Test
  @DisplayName("17.26 count less than what the program says, and reach every allocator")
  void builder() {
    System.setProperty("vramkit.allocator.limit", "2GiB");
    assertEquals(
        2 * ByteSize.GIB, CachingAllocator.builder(box.device).options().get(Option.LIMIT));
    assertEquals(1, CachingAllocator.builder(box.device).limit(1).options().get(Option.LIMIT));
    try (CachingAllocator allocator = CachingAllocator.create(box.device)) {
      assertEquals(2 * ByteSize.GIB, allocator.getLimit());
    }
  }

  @Test
  @DisplayName("17.26 keep no stacks of a history that the program does not keep")
  void noHistory() {
    CachingAllocatorBuilder builder = configured("history=64KiB,stacks").begunOutside().history(0);
    assertEquals(new Option.History(0, false), builder.options().get(Option.HISTORY));
    builder.build().close();
  }

  @Test
  @DisplayName("17.26 that the program overrides are logged once, by their sources")
  void overridden() {
    properties.setProperty("vramkit.allocator.limit", "2GiB");
    properties.setProperty("vramkit.allocator.decay", "10");
    try (Logged logged = new Logged(CachingAllocatorBuilder.class)) {
      for (int i = 0; i < 2; i++) {
        configured("steal=never,rounding-divisions=64:8,history=64KiB,stacks")
            .begunOutside()
            .roundingDivisions(" 64:8 ")
            .limit(ByteSize.GIB)
            .decay(Duration.ofSeconds(10))
            .historyStacks(false)
            .build()
            .close();
      }
      assertEquals(
          List.of(
              "the program sets the option history itself, which takes precedence over the"
                  + " environment variable VRAMKIT_ALLOCATOR_CONF",
              "the program sets the option limit itself, which takes precedence over the system"
                  + " property vramkit.allocator.limit"),
          logged.messages.stream().sorted().toList());
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "vramkit.alocator.limit, vramkit.allocator.limit",
    "vramkit.limit, vramkit.allocator.limit",
    "vramkit.sim.device, vramkit.sim.devices",
    "vramkit.backends, vramkit.backend",
    "vramkit.leakdetection, vramkit.leak-detection"
  })
  @DisplayName("17.26 misspelt properties are logged once, with the property that was meant")
  void misspelt(String property, String meant) {
    properties.setProperty(property, "1");
    try (Logged logged = new Logged(UnknownProperties.class)) {
      configured("");
      configured("");
      assertEquals(
          List.of(
              "unknown system property "
                  + property
                  + " has no effect; did you mean "
                  + meant
                  + "?"),
          logged.messages);
    }
  }

  @Test
  @DisplayName("17.26 properties that exist, or resemble none, are not logged")
  void otherProperties() {
    for (String property :
        List.of(
            "vramkit.seed",
            "vramkit.schedule",
            "vramkit.programs",
            "vramkit.sim.devices",
            "vramkit.snapshot-on-out-of-memory",
            "vramkit.docs",
            "vramkit.soak.seed",
            "vramkit.screen",
            "vramkit.",
            "vramkits.seed",
            "java.version")) {
      properties.setProperty(property, "1");
    }
    try (Logged logged = new Logged(UnknownProperties.class)) {
      configured("");
      assertEquals(List.of(), logged.messages);
    }
  }

  /** Collects the messages of a logger. */
  private static final class Logged extends Handler implements AutoCloseable {
    final List<String> messages = new ArrayList<>();
    private final Logger logger;

    Logged(Class<?> source) {
      logger = Logger.getLogger(source.getName());
      logger.addHandler(this);
      logger.setUseParentHandlers(false);
    }

    @Override
    public void publish(LogRecord entry) {
      messages.add(entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "limit              | much    | write bytes or a unit",
        "move-time          | 2       | from 0 to 1",
        "decay              | 1e400   | from 0 to 10000 days",
        "decay              | -3      | from 0 to 10000 days",
        "initial            | 2EiB    | from 0 to 1 EiB",
        "history            | 1KiB    | at least 64 KiB",
        "rounding-divisions | 3       | neither a power of two, such as 4, nor a list",
        "accessible-from    | 99      | device 99",
        "limit              | 120%    | from 0% to 100%",
        "steal              | always  | never, when-idle, with-wait"
      })
  @DisplayName(
      "17.26 that are invalid are reported with their source, the option and its" + " values")
  void told(String name, String value, String range) {
    String variable =
        String.valueOf(
            assertThrows(InvalidArgumentException.class, () -> configured(name + "=" + value))
                .getMessage());
    assertTrue(variable.startsWith("environment variable VRAMKIT_ALLOCATOR_CONF: "), variable);
    properties.setProperty("vramkit.allocator." + name, value);
    String property =
        String.valueOf(
            assertThrows(InvalidArgumentException.class, () -> configured("")).getMessage());
    assertTrue(property.startsWith("system property vramkit.allocator." + name + ": "), property);
    for (String message : new String[] {variable, property}) {
      String problem = message.substring(message.indexOf(": ") + 2);
      assertTrue(problem.contains(name), problem);
      assertTrue(problem.contains(range), problem);
      assertTrue(problem.contains("not ") || problem.contains("'" + value + "'"), problem);
    }
  }

  @ParameterizedTest(name = "[{0}]")
  @ValueSource(strings = {"limits=4GiB", "limit", "limit=much", "4GiB,limit=1", "limit=1,2=3"})
  @DisplayName(
      "17.26 that do not exist are rejected by name, with their source and the existing ones")
  void refused(String variable) {
    InvalidArgumentException e =
        assertThrows(InvalidArgumentException.class, () -> configured(variable));
    assertTrue(e.toString().contains("environment variable VRAMKIT_ALLOCATOR_CONF"), e.toString());
    properties.setProperty("vramkit.allocator.limits", "1");
    InvalidArgumentException unknown =
        assertThrows(InvalidArgumentException.class, () -> configured(""));
    assertTrue(
        unknown.toString().contains("system property vramkit.allocator.limits"),
        unknown.toString());
    assertTrue(unknown.toString().contains("known are virtual-memory, "), unknown.toString());
  }
}
