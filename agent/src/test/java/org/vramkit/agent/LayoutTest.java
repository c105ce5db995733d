package org.vramkit.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The table of layouts")
class LayoutTest {
  private static final String LIBRARY = "/org/bytedeco/cuda/linux-x86_64/libjnicudart.so";

  /** Structs that only one of the two presets has, or has with other fields. */
  static final Set<String> CHANGED =
      Set.of(
          "CUDA_HOST_NODE_PARAMS_v2",
          "CUcheckpointRestoreArgs",
          "CUgraphNodeParams",
          "CUlaunchAttributeValue",
          "CUlogicalEndpointFabricHandle",
          "CUlogicalEndpointProp",
          "CUstreamCigCaptureParams",
          "CUstreamCigParam",
          "cudaDevResource",
          "cudaFuncAttributes",
          "cudaGraphNodeParams",
          "cudaGraphRecaptureCallbackData",
          "cudaHostNodeParamsV2",
          "cudaKernelNodeParamsV2",
          "cudaLaunchAttributeValue");

  @TempDir Path folder;

  private static Map<String, String> table() {
    Map<String, String> table = new TreeMap<>();
    for (String line : CudaError.lines("layouts.txt")) {
      table.put(line.split(" ", 2)[0], line);
    }
    return table;
  }

  /** Runs a command with the libraries of CUDA and an empty driver. */
  private String run(List<String> command, Path cuda) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LD_LIBRARY_PATH", folder + ":" + cuda.resolve("lib64"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  @Test
  @DisplayName("is that of JavaCPP's native library, where CUDA's runtime lets it be loaded")
  void real() throws IOException, InterruptedException {
    Path cuda = Path.of(System.getenv().getOrDefault("CUDA_HOME", "/usr/local/cuda"));
    Path runtime = cuda.resolve("lib64/libcudart.so.13");
    assumeTrue(Files.exists(runtime), "there is no " + runtime);
    Path gcc = Path.of("/usr/bin/gcc");
    assumeTrue(Files.isExecutable(gcc), "there is no " + gcc);
    Path source = Files.writeString(folder.resolve("empty.c"), "");
    String driver = folder.resolve("libcuda.so.1").toString();
    run(List.of(gcc.toString(), "-shared", "-o", driver, source.toString()), cuda);
    Path library = folder.resolve("libjnicudart.so");
    try (InputStream file = LayoutTest.class.getResourceAsStream(LIBRARY)) {
      Files.copy(Objects.requireNonNull(file, LIBRARY), library);
    }
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classPath = System.getProperty("java.class.path");
    Map<String, String> real = new TreeMap<>();
    run(List.of(java, "-cp", classPath, RealLayouts.class.getName(), library.toString()), cuda)
        .lines()
        .forEach(line -> real.put(line.split(" ", 2)[0], line));
    assertTrue(real.size() > 200, real.size() + " layouts");
    // A class with a constructor, of whose fields the library knows no offsets.
    assertEquals("dim3 12", real.get("dim3"));
    real.put("dim3", String.valueOf(real.get("uint3")).replace("uint3", "dim3"));
    assertEquals(Set.of(), missing(real, CHANGED));
    Map<String, String> others = table();
    others.keySet().removeAll(CHANGED);
    real.keySet().removeAll(CHANGED);
    assertEquals(String.join("\n", real.values()), String.join("\n", others.values()));
  }

  /** Returns the fields of some structs that the table lacks or places elsewhere. */
  private static Set<String> missing(Map<String, String> real, Set<String> structs) {
    Set<String> missing = new TreeSet<>();
    for (String struct : structs) {
      List<String> known = List.of(table().getOrDefault(struct, "").split(" ", -1));
      Stream.of(real.getOrDefault(struct, struct).split(" ", -1))
          .skip(2)
          .filter(field -> !known.contains(field) && !field.startsWith("reserved="))
          .forEach(field -> missing.add(struct + "." + field));
    }
    return missing;
  }

  @Test
  @DisplayName("has each struct once, whose fields lie in it")
  void inside() {
    long lines = StreamSupport.stream(CudaError.lines("layouts.txt").spliterator(), false).count();
    assertEquals(lines, JavaCppStructs.layouts().size());
    JavaCppStructs.layouts()
        .forEach(
            (name, layout) ->
                layout
                    .offsets()
                    .forEach(
                        (field, offset) ->
                            assertTrue(offset >= 0 && offset < layout.size(), name + "." + field)));
  }
}
