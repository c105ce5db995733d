package org.vramkit.agent;

import static jcuda.driver.JCudaDriver.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@SimulatedCuda
@DisplayName("A module that is refused")
class RefusedModuleTest {
  private static final int INVALID_PTX = 218;
  private static final int NOT_FOUND = 500;

  private final Logger logger = Logger.getLogger(NativeCalls.class.getName());
  private final List<LogRecord> records = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          records.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void begin() {
    setExceptionsEnabled(false);
    cuInit(0);
    cuCtxCreate(new CUcontext(), 0, new CUdevice());
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void end() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  @Test
  @DisplayName("has its reason in a warning; a function that it lacks has none")
  void warning() {
    String ptx = Answer.ptx();
    CUmodule module = new CUmodule();
    assertEquals(0, cuModuleLoadData(module, ptx));
    assertEquals(NOT_FOUND, cuModuleGetFunction(new CUfunction(), module, "missing"));
    assertEquals(List.of(), records);
    String broken = ptx.replace("ret;", "rat;");
    assertEquals(INVALID_PTX, cuModuleLoadData(new CUmodule(), broken));
    assertEquals(1, records.size());
    assertEquals(Level.WARNING, records.get(0).getLevel());
    String message = records.get(0).getMessage();
    assertTrue(message.startsWith("cuModuleLoadData returns 218: cannot load"), message);
    assertTrue(message.contains("rat"), message);
  }
}
