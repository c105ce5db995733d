package org.vramkit.tools.owner;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.pool.support.CallerStack;
import org.vramkit.sim.hazard.Leak;
import org.vramkit.sim.hazard.LeakKind;

@DisplayName("42.1 The owner of a block is the innermost frame of the program")
class StackOwnersTest {

  /** What is shown of a stack, whose innermost frame comes first as recorders have it. */
  private static List<String> shown(String... innermostFirst) {
    List<String> frames = new ArrayList<>(Arrays.asList(innermostFirst));
    Collections.reverse(frames);
    int[] stack = IntStream.range(0, frames.size()).toArray();
    StackOwners owners = new StackOwners(frames);
    assertEquals(frames.size(), owners.getNoOwner());
    frames.add(StackOwners.NO_OWNER);
    return Arrays.stream(owners.upToOwner(stack)).mapToObj(frames::get).toList();
  }

  private static String owner(String... innermostFirst) {
    List<String> shown = shown(innermostFirst);
    return shown.get(shown.size() - 1);
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
  @DisplayName("and the one that the budget of a test on the simulator names")
  void budget() {
    List<StackTraceElement> stack =
        List.of(
            frame("org.vramkit.pool.caching.CachingAllocator", "allocate"),
            frame("java.util.stream.ReferencePipeline$3$1", "accept"),
            frame("java.util.Spliterators$ArraySpliterator", "forEachRemaining"),
            frame("com.acme.Model", "load"),
            frame("com.acme.Main", "main"));
    Leak block = new Leak(LeakKind.BLOCK, 0, 4096, "", 512, stack, false);
    String[] texts = stack.stream().map(String::valueOf).toArray(String[]::new);
    assertEquals("com.acme.Model.load(Some.java:1)", owner(texts));
    assertEquals(owner(texts), String.valueOf(block.getOwner().orElseThrow()));
  }

  private static StackTraceElement frame(String type, String method) {
    return new StackTraceElement(type, method, "Some.java", 1);
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
  @DisplayName("outside of templates, operators and unnamed namespaces of a library")
  void demangledNames() {
    assertEquals(
        "forward(/home/u/model.py:11)",
        owner(
            "void at::cuda::blas::gemm<float>(char, char, long)(:0)",
            "_object* torch::autograd::TypeError_to_NotImplemented_<&f>(_object*)(methods.cpp:0)",
            "(anonymous namespace)::THPFunction_apply(_object*, _object*)(python_function.cpp:0)",
            "std::tuple<at::Tensor, at::Tensor> at::native::dropout<bool>(at::Tensor const&)(??:0)",
            "slot_nb_add(/usr/local/src/conda/python-3.12.3/Objects/typeobject.c:8805)",
            "forward(/home/u/model.py:11)"));
    assertEquals(
        "train::step(at::Tensor)(??:0)",
        owner(
            "void at::cuda::blas::gemm<float>(char, char, long)(:0)",
            "at::Tensor& at::native::copy_<float>(at::Tensor&)(??:0)",
            "_ZN2at6native5emptyEv(??:0)",
            "train::step(at::Tensor)(??:0)",
            "main(??:0)"));
  }

  @Test
  @DisplayName("outside of a Python installation on Windows, and of one on macOS")
  void otherSystems() {
    assertEquals(
        "forward(D:\\app\\layers.py:44)",
        owner(
            "einsum(D:\\env\\Lib\\site-packages\\torch\\functional.py:373)",
            "wrapper(D:\\env\\lib\\contextlib.py:81)",
            "forward(D:\\app\\layers.py:44)",
            "<module>(D:\\env\\Scripts\\torchrun.exe\\__main__.py:7)"));
    assertEquals(
        "load(C:\\Program Files (x86)\\app\\load.py:3)",
        owner(
            "run(C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python310\\lib\\threading.py:953)",
            "load(C:\\Program Files (x86)\\app\\load.py:3)"));
    assertEquals(
        "step(/Users/u/app/fit.py:4)",
        owner(
            "wrap(/Users/u/app/.venv/lib/python3.12/site-packages/torch/_compile.py:5)",
            "inner(/Library/Frameworks/Python.framework/Versions/3.12/lib/python3.12/queue.py:1)",
            "step(/Users/u/app/fit.py:4)"));
  }

  @Test
  @DisplayName("outside of code that compilers generated: FX, Inductor, Triton, TensorFlow")
  void generated() {
    assertEquals(
        "forward(/home/u/app/model.py:7)",
        owner(
            "launcher(<string>:4)",
            "run(/env/lib/python3.12/site-packages/triton/runtime/jit.py:90)",
            "call(/tmp/torchinductor_u/z3/cz3vcpgktv5ml3u33u6ylioqz73qzckh5lb5msnz4b7q6gkaykiv.py:60)",
            "call(/cache/ab/cz3vcpgktv5ml3u33u6ylioqz73qzckh5lb5msnz4b7q6gkaykiv.py:60)",
            "forward(<eval_with_key>.12 from /home/u/app/model.py:7 in forward:5)",
            "forward(<eval_with_key>.3:5)",
            "kernel(/home/u/.triton/cache/abc/__triton_launcher.c:3)",
            "f(/tmp/__autograph_generated_fileab1.py:3)",
            "__init__(<string>:9)",
            "_call(<frozen importlib._bootstrap>:241)",
            "forward(/home/u/app/model.py:7)"));
    assertEquals(
        "torch_dynamo_resume_in_forward_at_12(/home/u/model.py:12)",
        owner("torch_dynamo_resume_in_forward_at_12(/home/u/model.py:12)"));
  }

  @Test
  @DisplayName("also of code that was typed at a prompt, in a notebook or in an argument")
  void typed() {
    for (String file :
        List.of(
            "<stdin>:1",
            "<string>:1",
            "<ipython-input-3-abc>:2",
            "<command-4711>:1",
            "/tmp/ipykernel_114/3105878423.py:3",
            "C:\\Users\\u\\AppData\\Local\\Temp\\ipykernel_8\\31.py:3")) {
      String frame = "<module>(" + file + ")";
      assertEquals(frame, owner("zeros(/env/lib/python3.12/site-packages/x.py:1)", frame));
    }
  }

  @Test
  @DisplayName("outside of frameworks that run from their sources, unless nothing else is there")
  void checkouts() {
    String vllm = "load(/workspace/vllm/vllm/v1/worker/gpu_worker.py:70)";
    String utils = "empty(/workspace/vllm/vllm/utils.py:7)";
    String torch = "_call_impl(/home/u/pytorch/torch/nn/modules/module.py:1762)";
    String functional = "sum(/home/u/pytorch/torch/functional.py:7)";
    assertEquals("main(/home/u/serve.py:3)", owner(utils, vllm, "main(/home/u/serve.py:3)"));
    assertEquals(utils, owner(utils, vllm, "<module>(/usr/local/bin/vllm:8)"));
    assertEquals("main(/home/u/fit.py:3)", owner(functional, torch, "main(/home/u/fit.py:3)"));
    assertEquals(StackOwners.NO_OWNER, owner(functional, torch));
    assertEquals(List.of("f(/home/u/torch/train.py:3)"), shown("f(/home/u/torch/train.py:3)"));
  }

  @Test
  @DisplayName("native sources own a block only outside of Python, or if no Python frame does")
  void nativeSources() {
    String python = "backward(/home/u/app/ops.py:5)";
    String extension = "Fused::backward(at::Tensor)(/home/u/app/csrc/fused.cu:33)";
    String installed = "apply(/env/lib/python3.12/site-packages/torch/autograd/function.py:311)";
    assertEquals(python, owner("at::empty()(??:0)", extension, python));
    assertEquals(extension, owner("at::empty()(??:0)", extension, installed));
    assertEquals(
        StackOwners.NO_OWNER,
        owner(
            "dispatch_cutlassB<float>(at::Tensor)(attention_backward.cu:0)",
            "execute_native_thread_routine(/opt/conda/conda-bld/gcc/src/c++11/thread.cc:80)",
            installed));
  }

  @Test
  @DisplayName("no frame of the program: of threads of a framework and of its workers")
  void none() {
    assertEquals(
        List.of(StackOwners.NO_OWNER),
        shown(
            "torch::unwind::unwind()(??:0)",
            "void at::cuda::blas::gemm<float>(char)(:0)",
            "torch::autograd::Engine::thread_main(std::shared_ptr<int> const&)(??:0)",
            "execute_native_thread_routine(thread48.o:0)",
            "start_thread(??:0)",
            "__clone3(:0)"));
    assertEquals(
        List.of(
            "<module>(<string>:1)",
            "spawn_main(/usr/lib/python3.12/multiprocessing/spawn.py:122)",
            "run(/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py:700)",
            StackOwners.NO_OWNER),
        shown(
            "at::empty()(??:0)",
            "run(/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py:700)",
            "spawn_main(/usr/lib/python3.12/multiprocessing/spawn.py:122)",
            "<module>(<string>:1)"));
    assertEquals(StackOwners.NO_OWNER, owner("at::empty()(??:0)"));
    assertEquals(StackOwners.NO_OWNER, owner("PyObject_Call(??:0)", "_start(??:0)"));
    assertEquals(StackOwners.NO_OWNER, owner("??(??:0)"));
    assertEquals(
        StackOwners.NO_OWNER,
        owner(
            "org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:630)",
            "java.base/java.lang.Thread.run(Thread.java:840)"));
  }

  @Test
  @DisplayName("of threads of a C++ program, and on the JVM behind proxies and frameworks")
  void threadsAndProxies() {
    assertEquals(
        "Worker::run()(/src/app/worker.cpp:20)",
        owner(
            "cudaMallocAsync(??:0)",
            "Worker::run()(/src/app/worker.cpp:20)",
            "void std::__invoke_impl<void, void (Worker::*)(), Worker*>()(/usr/include/c++/13/x.h:6)",
            "execute_native_thread_routine(??:0)",
            "start_thread(./nptl/pthread_create.c:442)",
            "__clone3(../sysdeps/unix/sysv/linux/x86_64/clone3.S:78)"));
    assertEquals(
        "com.acme.Job.run(Job.kt:9)",
        owner(
            "ai.djl.pytorch.engine.PtNDManager.create(PtNDManager.java:90)",
            "com.acme.Job$$FastClassByGuice$$1.invoke(<generated>)",
            "jdk.proxy2.$Proxy12.create(Unknown Source)",
            "com.acme.Job.run(Job.kt:9)",
            "app//org.junit.platform.Runner.run(Runner.java:3)",
            "java.base/java.util.concurrent.FutureTask.run(FutureTask.java:264)"));
    assertEquals(
        "com.acme.Job.lambda$start$0(unknown)",
        owner("kotlin.Unit.run(unknown)", "com.acme.Job.lambda$start$0(unknown)"));
  }

  @Test
  @DisplayName("the innermost frame of a program without debug information; any other text")
  void fallBack() {
    assertEquals("kernel()(??:0)", owner("at::empty()(??:0)", "kernel()(??:0)", "main(??:0)"));
    assertEquals(List.of("a label"), shown("a label"));
    assertEquals(List.of("(others)"), shown("(others)"));
    assertEquals(List.of(), shown());
  }
}
