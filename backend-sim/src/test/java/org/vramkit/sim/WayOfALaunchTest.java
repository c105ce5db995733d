package org.vramkit.sim;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.vramkit.api.device.Kernel;
import org.vramkit.api.device.KernelModule;
import org.vramkit.api.device.LaunchConfig;
import org.vramkit.sim.schedule.Schedule;

/**
 * Counts the files that a reader passes who follows a launch of PTX that the checker accepts, from
 * the call to the last instruction.
 */
@DisplayName("20.6 The files that a checked launch passes")
class WayOfALaunchTest {
  private static final int MOST = 76;

  @Test
  @DisplayName("a kernel of PTX that reads and writes device memory, launched and waited for")
  void launch() throws Exception {
    Class<?> type = new InstrumentedCopy().loadClass(Launch.class.getName());
    Runnable launch = (Runnable) type.getDeclaredConstructor().newInstance();
    launch.run();
    Visits.FILES.clear();
    launch.run();
    Set<String> files = new TreeSet<>(Visits.FILES);
    files.removeIf(file -> file.endsWith("Test"));
    ((AutoCloseable) launch).close();
    assertTrue(files.contains(SimStream.class.getName()), "the copy is not instrumented: " + files);
    assertTrue(files.size() <= MOST, () -> files.size() + ": " + String.join("\n", files));
  }

  /** Launches a kernel; loaded into the copy. */
  public static final class Launch implements Runnable, AutoCloseable {
    private final SimBackend backend =
        SimBackend.builder().device(DeviceProfile.H200).schedule(Schedule.timed()).build();
    private final SimStream stream = backend.getDevice(0).createStream();
    private final KernelModule module = backend.getDevice(0).loadModule(KernelLaunchTest.PTX);
    private final Kernel kernel = module.getKernel("next");
    private final long address = backend.getDevice(0).getMemory().allocate(2048);

    /** Fills the memory that the kernel reads. */
    public Launch() {
      stream.fill(address, (byte) 0, 1024);
    }

    @Override
    public void run() {
      stream.launch(kernel, LaunchConfig.of(1, 256), address, address + 1024);
    }

    @Override
    public void close() {
      stream.synchronize();
      backend.getDevice(0).getMemory().free(address);
      module.close();
      stream.close();
      assertEquals(List.of(), backend.getHazards());
      backend.close();
    }
  }

  /** The files whose methods have run. */
  public static final class Visits {
    static final Set<String> FILES = new TreeSet<>();

    private Visits() {}

    /** Adds the file of a class, which is that of its outermost class. */
    public static void enter(String type) {
      int nested = type.indexOf('$');
      FILES.add(nested < 0 ? type : type.substring(0, nested));
    }
  }

  /** Woven into each method of the copy. */
  static final class Entry {
    private Entry() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Origin("#t") String type) {
      Visits.enter(type);
    }
  }

  /** Loads the classes of the simulator and of its PTX a second time, instrumented. */
  private static final class InstrumentedCopy extends ClassLoader {
    private final ClassFileLocator files;

    InstrumentedCopy() {
      super(InstrumentedCopy.class.getClassLoader());
      this.files = ClassFileLocator.ForClassLoader.of(getParent());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean ours = name.startsWith("org.vramkit.sim.") || name.startsWith("org.vramkit.ptx.");
      if (!ours || name.equals(Visits.class.getName())) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? copy(name) : loaded;
      }
    }

    private Class<?> copy(String name) {
      byte[] instrumented =
          new ByteBuddy()
              .redefine(TypePool.Default.of(files).describe(name).resolve(), files)
              .visit(Advice.to(Entry.class).on(isMethod().or(isConstructor())))
              .make()
              .getBytes();
      return defineClass(name, instrumented, 0, instrumented.length);
    }
  }
}
