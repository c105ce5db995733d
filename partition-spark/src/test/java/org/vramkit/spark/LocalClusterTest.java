package org.vramkit.spark;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.resource.ResourceProfileBuilder;
import org.apache.spark.resource.TaskResourceRequests;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.vramkit.api.allocator.Allocation;
import org.vramkit.api.allocator.Allocator;
import org.vramkit.api.error.DeviceOutOfMemoryException;
import org.vramkit.api.error.FatalDeviceException;
import org.vramkit.api.units.ByteSize;
import org.vramkit.partition.plan.Tile;
import org.vramkit.pressure.Grant;
import org.vramkit.sim.SimBackend;
import org.vramkit.sim.SimKernel;
import org.vramkit.sim.SimStream;

/** Runs on two executors with two simulated GPUs each, in separate JVMs. */
@DisplayName("S5: GPUs of a Spark cluster")
@TestMethodOrder(OrderAnnotation.class)
class LocalClusterTest {
  private static final int GPUS = 4;
  private static final long UNITS = 4096;

  private static final List<Integer> NUMBERS = IntStream.range(0, 1000).boxed().toList();
  private static final List<Integer> SQUARES = NUMBERS.stream().map(each -> each * each).toList();
  private static final GpuMapper<Integer, Integer> SQUARE = LocalClusterTest::squares;

  /** The reasons for which executors were removed. */
  private static final List<String> REMOVED = new CopyOnWriteArrayList<>();

  @TempDir static Path folder;

  private static JavaSparkContext context;

  @BeforeAll
  static void start() throws IOException {
    // Spark needs this folder for its jars, but takes all classes from the class path below.
    Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    SparkConf conf =
        new SparkConf(false)
            .setMaster("local-cluster[2,2,1024]")
            .setAppName("vramkit")
            .set("spark.plugins", VramkitPlugin.class.getName())
            .set("spark.resources.discoveryPlugin", GpuDiscovery.class.getName())
            .set("spark.worker.resource.gpu.amount", "2")
            .set("spark.executor.resource.gpu.amount", "2")
            .set("spark.task.resource.gpu.amount", "1")
            .set("spark.vramkit.taskMemory", "100g")
            .set("spark.executor.memory", "1g")
            .set("spark.executor.extraClassPath", classPath)
            .set(
                "spark.executor.extraJavaOptions",
                "-Dvramkit.sim.devices=2 -XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
            .set("spark.dynamicAllocation.enabled", "false")
            .set("spark.ui.enabled", "false")
            .set("spark.scheduler.minRegisteredResourcesRatio", "1")
            .set("spark.scheduler.maxRegisteredResourcesWaitingTime", "60s")
            // A barrier stage looks again for its executors, which have only begun to start.
            .set("spark.scheduler.barrier.maxConcurrentTasksCheck.interval", "1s")
            .set("spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures", "600")
            .set("spark.driver.host", "127.0.0.1")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.local.dir", folder.toString());
    context = new JavaSparkContext(conf);
    context
        .sc()
        .addSparkListener(
            new SparkListener() {
              @Override
              public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                REMOVED.add(removed.reason());
              }
            });
  }

  @AfterAll
  static void stop() {
    if (context != null) {
      context.close();
    }
  }

  /** Describes who processed a tile, as serializable text. */
  private static String place(TaskGpu gpu, Tile tile) {
    return SparkEnv.get().executorId()
        + ":"
        + gpu.getAddress()
        + ":"
        + tile.from()
        + ":"
        + tile.to();
  }

  private static void assertEachOnce(List<String> places) {
    long next = 0;
    for (String place : places) {
      String[] parts = place.split(":", -1);
      assertEquals(next, Long.parseLong(parts[2]), places.toString());
      next = Long.parseLong(parts[3]);
    }
    assertEquals(UNITS, next);
  }

  private static Set<String> gpus(List<String> places) {
    Set<String> gpus = new HashSet<>();
    places.forEach(place -> gpus.add(place.substring(0, place.indexOf(':', 2))));
    return gpus;
  }

  @Test
  @Order(1)
  @DisplayName("S5.5 every unit is done once, in four partitions for each GPU, on all of them")
  void everyUnit() {
    GpuTask<String> fillAndTell =
        (gpu, tile) -> {
          try (Allocation memory = gpu.getAllocator().allocate(1 << 20, gpu.getStream())) {
            gpu.getStream().fill(memory.getAddress(), (byte) 1, memory.getSize());
          }
          // Takes long enough for all GPUs to get tiles.
          Thread.sleep(100);
          return place(gpu, tile);
        };
    List<String> places = SparkScatter.run(context, UNITS, GPUS, fillAndTell);
    assertEquals(4 * GPUS, places.size());
    assertEachOnce(places);
    assertEquals(GPUS, gpus(places).size(), places.toString());
    assertEquals(List.of(), SparkScatter.run(context, 0, GPUS, (gpu, tile) -> 1));
  }

  /** Returns a different score for each GPU. */
  private static double rate(TaskGpu gpu) {
    return (gpu.getAddress().equals("0") ? 2 : 1)
        * (SparkEnv.get().executorId().equals("0") ? 3 : 1);
  }

  @Test
  @Order(1)
  @DisplayName("25 in a barrier stage all divide by what each can do: within 5 % of the ideal")
  void together() {
    GpuScore byRate = device -> rate(TaskGpu.get());
    List<String> results =
        SparkScatter.runTogether(
            context,
            UNITS,
            GPUS,
            byRate,
            (gpu, tile) -> {
              SimStream stream = (SimStream) gpu.getStream();
              SimBackend backend = (SimBackend) gpu.getDevice().getBackend();
              long work = (long) (tile.getUnits() * 1_000_000 / rate(gpu));
              SimKernel kernel = SimKernel.named("work").taking(work).build();
              long begin = backend.getTimeNanos();
              stream.launch(kernel);
              stream.synchronize();
              assertTrue(backend.getTimeNanos() - begin >= work);
              return place(gpu, tile) + ":" + work + ":" + rate(gpu);
            });
    assertEachOnce(results);
    double longest = 0;
    double rates = 0;
    for (String result : results) {
      String[] parts = result.split(":", -1);
      longest = Math.max(longest, Double.parseDouble(parts[4]));
      rates += Double.parseDouble(parts[5]);
    }
    double efficiency = UNITS * 1_000_000 / rates / longest;
    System.out.printf("spark: efficiency %.4f of a barrier stage over %s%n", efficiency, results);
    assertTrue(efficiency >= 0.95, "efficiency " + efficiency + ": " + results);
  }

  /** Number of tasks of this executor with a grant, by GPU. */
  private static final Map<String, Integer> ADMITTED = new ConcurrentHashMap<>();

  @Test
  @Order(1)
  @DisplayName("45 tasks that share a GPU and do not fit it together wait for each other's end")
  void admission() {
    List<Integer> numbers = IntStream.range(0, 12).boxed().toList();
    ResourceProfile halves =
        new ResourceProfileBuilder()
            .require(new TaskResourceRequests().cpus(1).resource("gpu", 0.5))
            .build();
    List<String> together =
        context
            .parallelize(numbers, numbers.size())
            .rdd()
            .withResources(halves)
            .toJavaRDD()
            .map(LocalClusterTest::allocateMost)
            .collect();
    assertEquals(numbers.size(), together.size());
    assertTrue(together.stream().allMatch("1 with 100.00 GiB"::equals), together.toString());
  }

  /** Returns the number of tasks with a grant on this GPU, and the bytes of this task's grant. */
  private static String allocateMost(int number) throws InterruptedException {
    TaskGpu gpu = TaskGpu.get();
    Allocator memory = gpu.getAllocator();
    int tasks = ADMITTED.merge(gpu.getAddress(), 1, Integer::sum);
    try (Allocation held = memory.allocate(90L << 30, gpu.getStream())) {
      Thread.sleep(100);
      DeviceOutOfMemoryException e =
          assertThrows(
              DeviceOutOfMemoryException.class, () -> memory.allocate(held.getSize()).close());
      assertTrue(e.toString().contains("task of stage"), e.toString());
      Grant grant = requireNonNull(gpu.getGrant());
      return tasks + " with " + ByteSize.format(grant.getBytes());
    } finally {
      ADMITTED.merge(gpu.getAddress(), -1, Integer::sum);
    }
  }

  @Test
  @Order(1)
  @DisplayName("memory that a task leaves is freed, and reported with the task on the driver")
  void leaks() throws InterruptedException {
    List<Long> live =
        SparkScatter.run(
            context,
            8,
            2,
            (gpu, tile) -> {
              if (tile.from() == 3) {
                gpu.getAllocator().allocate(3 << 20, gpu.getStream());
              }
              return gpu.getAllocator().getStatistics().getLiveBytes();
            });
    assertEquals(8, live.size());
    // The message of the executor may come after the task's result.
    for (int i = 0; i < 500 && VramkitPlugin.getLeaks().isEmpty(); i++) {
      Thread.sleep(10);
    }
    List<String> leaks = VramkitPlugin.getLeaks();
    assertEquals(1, leaks.size(), leaks.toString());
    assertTrue(
        leaks
            .get(0)
            .matches(
                "task \\d+ \\(stage \\d+, partition 3, attempt 0\\) on GPU [01] left"
                    + " 1 allocation of 3.00 MiB open; closed by the plugin"),
        leaks.get(0));
    List<Long> after =
        SparkScatter.run(
            context, 4, 1, (gpu, tile) -> gpu.getAllocator().getStatistics().getLiveBytes());
    assertEquals(List.of(0L, 0L, 0L, 0L), after);
  }

  @Test
  @Order(1)
  @DisplayName("S5.5 the rows of an RDD are worked on by GPUs")
  void rows() {
    List<Integer> rows = SparkScatter.map(context.parallelize(NUMBERS), GPUS, SQUARE).collect();
    assertEquals(SQUARES, sorted(rows));
  }

  @Test
  @Order(1)
  @Tag("nightly")
  @DisplayName("S5.5 the rows of a Dataset are worked on by GPUs")
  void rowsOfDataset() {
    SparkSession session = SparkSession.builder().sparkContext(context.sc()).getOrCreate();
    assertEquals(
        SQUARES,
        sorted(
            SparkScatter.map(
                    session.createDataset(NUMBERS, Encoders.INT()), GPUS, Encoders.INT(), SQUARE)
                .collectAsList()));
  }

  private static List<Integer> sorted(List<Integer> rows) {
    return rows.stream().sorted().toList();
  }

  private static Iterator<Integer> squares(TaskGpu gpu, Iterator<Integer> rows) {
    List<Integer> squares = new ArrayList<>();
    try (Allocation memory = gpu.getAllocator().allocate(1 << 10, gpu.getStream())) {
      gpu.getStream().fill(memory.getAddress(), (byte) 0, memory.getSize());
      rows.forEachRemaining(row -> squares.add(row * row));
    }
    return squares.iterator();
  }

  @Test
  @Order(2)
  @DisplayName("19 a fatal error ends its executor, and its tiles are done again elsewhere")
  void fatal() throws IOException, InterruptedException {
    Path marker = folder.resolve("killed");
    String path = marker.toString();
    List<String> places =
        SparkScatter.run(
            context,
            UNITS,
            GPUS,
            (gpu, tile) -> {
              if (tile.from() >= UNITS / 2 && createOnce(path)) {
                Files.writeString(Path.of(path), place(gpu, tile));
                throw new FatalDeviceException("an illegal address was met");
              }
              Thread.sleep(50);
              return place(gpu, tile);
            });
    assertEachOnce(places);
    String killed = Files.readString(marker);
    assertFalse(places.contains(killed), killed);
    for (int i = 0; i < 500 && REMOVED.isEmpty(); i++) {
      Thread.sleep(10);
    }
    assertTrue(REMOVED.stream().anyMatch(reason -> reason.contains("20")), REMOVED.toString());
  }

  private static boolean createOnce(String path) throws IOException {
    try {
      Files.createFile(Path.of(path));
      return true;
    } catch (java.nio.file.FileAlreadyExistsException e) {
      return false;
    }
  }
}
