package org.vramkit.pool.decorator;

import java.io.StringWriter;
import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;

@DisplayName("TraceRecorder keeps the contract of an allocator")
class TraceRecorderKitTest extends DecoratorKit {

  @Override
  Allocator decorate(Allocator upstream) {
    return TraceRecorder.over(upstream, new StringWriter());
  }
}
