package org.vramkit.tools.page;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.support.CallerStack;

@DisplayName("42.1 The owner of a block is the innermost frame of the program")
class StackOwnersTest {

  /** What is shown of a stack, whose innermost frame comes first as recorders have it. */
  private static List<String> shown(String... innermostFirst) {
    List<String> frames = new ArrayList<>(Arrays.asList(innermostFirst));
    Collections.reverse(frames);
    int[] stack = IntStream.range(0, frames.size()).toArray();
    return Arrays.stream(new StackOwners(frames).upToOwner(stack)).mapToObj(frames::get).toList();
  }

  @Test
  @DisplayName("outside of PyTorch's recorder, allocator and C++ code, and of the interpreter")
  void torchWithNativeFrames() {
    assertEquals(
        List.of("main(train.py:3)", "attend(model.py:7)"),
        shown(
            "torch::unwind::unwind()(??:0)",
            "torch::CapturedTraceback::gather(bool, bool, bool)(??:0)",
            "torch::cuda::(anonymous namespace)::gather_with_cpp()(memory_snapshot.cpp:0)",
            "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char,"
                + " unsigned long, CUstream_st*)(CUDACachingAllocator.cpp:0)",
            "at::detail::empty_cuda(c10::ArrayRef<long>)(??:0)",
            "torch::autograd::THPVariable_zeros(_object*, _object*,"
                + " _object*)(python_torch_functions_0.cpp:0)",
            "PyObject_Call(??:0)",
            "attend(model.py:7)",
            "_PyEval_EvalFrameDefault(/usr/local/src/conda/python-3.10/Python/ceval.c:4181)",
            "method_vectorcall(Objects/classobject.c:83)",
            "main(train.py:3)",
            "run_mod(/build/Python/pythonrun.c:1241)",
            "__libc_start_call_main(./csu/../sysdeps/nptl/libc_start_call_main.h:58)",
            "_start(??:0)"));
  }

  @Test
  @DisplayName("outside of installed Python packages, which stay visible further out")
  void torchWithPythonFrames() {
    assertEquals(
        List.of(
            "<module>(train.py:12)",
            "_call_impl(site-packages/torch/nn/modules/module.py:1790)",
            "forward(train.py:7)"),
        shown(
            "forward(/opt/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py:134)",
            "forward(train.py:7)",
            "_call_impl(site-packages/torch/nn/modules/module.py:1790)",
            "<module>(train.py:12)"));
    assertEquals(
        List.of("<module>(<ipython-input-3-abc>:1)"),
        shown(
            "wrapper(/usr/lib/python3.11/contextlib.py:81)", "<module>(<ipython-input-3-abc>:1)"));
  }

  @Test
  @DisplayName("outside of RMM and JAX, in Python and in C++")
  void otherAllocators() {
    assertEquals(
        List.of("main(app.cpp:3)", "solve(std::vector<int>)(app.cpp:9)"),
        shown(
            "rmm::mr::logging_resource_adaptor::do_allocate(unsigned long)(logging.hpp:131)",
            "rmm::device_buffer::device_buffer(unsigned long)(device_buffer.hpp:90)",
            "solve(std::vector<int>)(app.cpp:9)",
            "main(app.cpp:3)",
            "__libc_start_main_impl(??:0)",
            "_start(??:0)"));
    assertEquals(
        List.of("step(fit.py:4)"),
        shown(
            "tsl::BFCAllocator::AllocateRaw(unsigned long)(??:0)",
            "xla::PjRtStreamExecutorClient::Execute()(??:0)",
            "cache_miss(site-packages/jax/_src/pjit.py:163)",
            "step(fit.py:4)"));
  }

  @Test
  @DisplayName("outside of Vramkit, the JDK and bindings on the JVM")
  void jvm() {
    assertEquals(
        List.of("com.acme.Main.main(Main.java:5)", "com.acme.Model.load(Model.java:71)"),
        shown(
            "org.vramkit.pool.caching.CachingAllocator.allocate(CachingAllocator.java:200)",
            "org.vramkit.pressure.SpillStore.add(SpillStore.java:1)",
            "org.vramkit.guice.GpuResources.getScatter(GpuResources.java:1)",
            "org.vramkit.kotlin.Scopes.use(Scopes.kt:20)",
            "com.acme.Model.load(Model.java:71)",
            "jdk.internal.reflect.DirectMethodHandleAccessor.invoke(X.java:103)",
            "com.acme.Main.main(Main.java:5)"));
    assertEquals(
        List.of("org.vramkit.examples.FirstSteps.main(FirstSteps.java:9)"),
        shown(
            "org.vramkit.pool.direct.DirectAllocator.allocate(DirectAllocator.java:1)",
            "org.vramkit.examples.FirstSteps.main(FirstSteps.java:9)"));
  }

  @Test
  @DisplayName("outside of every package of Vramkit that allocates for the program")
  void vramkit() {
    for (String each : CallerStack.LIBRARY) {
      assertEquals(
          List.of("com.acme.Main.main(Main.java:5)"),
          shown(
              "org.vramkit." + each + ".Any.call(Any.java:1)", "com.acme.Main.main(Main.java:5)"));
    }
  }

  @Test
  @DisplayName("the innermost library frame, else the innermost frame; none of an empty stack")
  void fallBack() {
    assertEquals(
        List.of("at::empty()(??:0)"), shown("torch::unwind::unwind()(??:0)", "at::empty()(??:0)"));
    assertEquals(List.of("PyObject_Call(??:0)"), shown("PyObject_Call(??:0)", "_start(??:0)"));
    assertEquals(List.of("kernel()(??:0)"), shown("at::empty()(??:0)", "kernel()(??:0)"));
    assertEquals(List.of("a label"), shown("a label"));
    assertEquals(List.of(), shown());
  }
}
