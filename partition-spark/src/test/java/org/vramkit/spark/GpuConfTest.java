package org.vramkit.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.resource.ResourceID;
import org.apache.spark.resource.ResourceRequest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("S5: GPU resources in Spark's configuration")
class GpuConfTest {

  @ParameterizedTest
  @ValueSource(strings = {"local", "local[2]", "local[*]"})
  @DisplayName("local mode with GPU settings is refused, as Spark itself would hang")
  void localMode(String master) {
    SparkConf conf =
        new SparkConf(false)
            .setMaster(master)
            .setAppName("refused")
            .set("spark.ui.enabled", "false")
            .set("spark.plugins", VramkitPlugin.class.getName())
            .set("spark.task.resource.gpu.amount", "1");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> GpuConf.check(conf));
    assertTrue(e.toString().contains("hangs in Spark itself"), e.toString());
    assertTrue(e.toString().contains("spark.task.resource.gpu.amount"), e.toString());
    Throwable thrown = assertThrows(Throwable.class, () -> new JavaSparkContext(conf).close());
    assertTrue(thrown.toString().contains("hangs in Spark itself"), thrown.toString());
  }

  @Test
  @DisplayName("local mode without GPU settings is Spark's own")
  void localWithoutGpus() {
    GpuConf.check(new SparkConf(false).setMaster("local[2]"));
    GpuConf.check(
        new SparkConf(false)
            .setMaster("local-cluster[2,2,1024]")
            .set("spark.task.resource.gpu.amount", "1"));
  }

  @Test
  @DisplayName("spark-rapids on the same GPUs is refused unless both leave each other room")
  void rapids() {
    SparkConf conf =
        new SparkConf(false)
            .setMaster("spark://host:7077")
            .set("spark.plugins", "com.nvidia.spark.SQLPlugin, " + VramkitPlugin.class.getName());
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> GpuConf.check(conf));
    assertTrue(e.toString().contains("spark.rapids.memory.gpu.allocFraction"), e.toString());
    GpuConf.check(conf.clone().set("spark.rapids.memory.gpu.pool", "none"));
    conf.set("spark.rapids.memory.gpu.allocFraction", "0.6");
    assertThrows(IllegalArgumentException.class, () -> GpuConf.check(conf));
    conf.set("spark.vramkit.memoryFraction", "0.4");
    GpuConf.check(conf);
    conf.set("spark.vramkit.memoryFraction", "0");
    assertThrows(IllegalArgumentException.class, () -> GpuConf.fraction(conf));
  }

  @Test
  @DisplayName("45 the memory of a task is a size of at least a byte, or not set")
  void taskMemory() {
    SparkConf conf = new SparkConf(false);
    assertEquals(0, GpuConf.taskMemory(conf));
    assertEquals(8L << 30, GpuConf.taskMemory(conf.set("spark.vramkit.taskMemory", "8g")));
    conf.set("spark.vramkit.taskMemory", "0");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> GpuConf.taskMemory(conf));
    assertTrue(e.toString().contains("spark.vramkit.taskMemory is 0"), e.toString());
  }

  @Test
  @DisplayName("GPUs are discovered without a script; nothing else is")
  void discovery() {
    SparkConf conf = new SparkConf(false);
    ResourceRequest gpus =
        new ResourceRequest(
            new ResourceID("spark.executor", "gpu"), 2, Optional.empty(), Optional.empty());
    assertArrayEquals(
        new String[] {"0", "1"},
        new GpuDiscovery().discoverResource(gpus, conf).orElseThrow().addresses());
    ResourceRequest others =
        new ResourceRequest(
            new ResourceID("spark.executor", "fpga"), 2, Optional.empty(), Optional.empty());
    assertEquals(Optional.empty(), new GpuDiscovery().discoverResource(others, conf));
  }

  @Test
  @DisplayName("outside of a task there is no GPU, and the error says so")
  void outside() {
    IllegalStateException e = assertThrows(IllegalStateException.class, TaskGpu::get);
    assertTrue(e.toString().contains("no Spark task"), e.toString());
    e = assertThrows(IllegalStateException.class, ExecutorGpus::get);
    assertTrue(e.toString().contains("spark.plugins"), e.toString());
  }
}
