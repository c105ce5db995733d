package org.vramkit.pool.decorator;

import org.junit.jupiter.api.DisplayName;
import org.vramkit.api.allocator.Allocator;

@DisplayName("StatisticsScope keeps the contract of an allocator")
class StatisticsScopeKitTest extends DecoratorKit {

  @Override
  Allocator decorate(Allocator upstream) {
    return StatisticsScope.over(upstream);
  }
}
