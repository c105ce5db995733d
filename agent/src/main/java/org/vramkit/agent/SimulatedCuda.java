package org.vramkit.agent;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.vramkit.sim.hazard.Strictness;
import org.vramkit.testkit.sim.LeakPolicy;
import org.vramkit.testkit.sim.SimulatedGpu;

/**
 * Runs tests of programs that call CUDA through JCuda or JavaCPP on a simulated GPU, and fails them
 * on hazards. The programs, their dependencies and their jars stay as they are, and need no native
 * library.
 *
 * <pre>{@code
 * @SimulatedCuda
 * class VectorAddTest {
 *   @Test
 *   void adds() {
 *     VectorAdd.main(new String[0]);
 *   }
 * }
 * }</pre>
 *
 * <p>Each test is a process of its own to the driver: it begins without contexts, and handles of
 * other tests are unknown. The first test of a JVM changes the classes of the bindings, which no
 * code may have loaded before; if some has, begin the JVM with the agent. JDK 21 and newer print a
 * warning about an agent that is loaded dynamically, which {@code -javaagent} or {@code
 * -XX:+EnableDynamicAgentLoading} avoids.
 *
 * <p>The annotation includes {@link SimulatedGpu}, without a verdict on leaks, since programs often
 * leave freeing to their end, and with frees that wait for their device, as drivers' do. Add
 * {@code @SimulatedGpu} beside it for other settings: more devices, another schedule, leaks.
 * Annotations of single tests, such as {@code @ExpectHazard} and {@code @EverySchedule}, work as
 * with it.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@SimulatedGpu(leaks = LeakPolicy.ALLOW, recording = false, strictness = Strictness.LENIENT)
@ExtendWith(SimulatedCudaExtension.class)
public @interface SimulatedCuda {}
