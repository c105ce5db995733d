package org.vramkit.export;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a pickle of plain data says, by the rules of Python's own unpickler. */
final class Unpickled {
  private final ByteBuffer in;
  private final List<Object> memo = new ArrayList<>();
  private final Deque<List<Object>> below = new ArrayDeque<>();
  private List<Object> stack = new ArrayList<>();
  private int protocol;

  private Unpickled(byte[] bytes) {
    in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** The value: maps, lists, longs, booleans, texts. */
  static Object read(byte[] bytes) {
    return new Unpickled(bytes).value();
  }

  /** The protocol that it says it has. */
  static int protocolOf(byte[] bytes) {
    Unpickled pickle = new Unpickled(bytes);
    pickle.value();
    return pickle.protocol;
  }

  private Object value() {
    int opcode = unsigned();
    while (opcode != '.') {
      if (!number(opcode) && !text(opcode)) {
        container(opcode);
      }
      opcode = unsigned();
    }
    if (stack.size() != 1 || !below.isEmpty() || in.hasRemaining()) {
      throw new AssertionError("stops with " + stack.size() + " values");
    }
    return stack.get(0);
  }

  private boolean number(int opcode) {
    switch (opcode) {
      case 0x80 -> protocol = unsigned();
      case 0x95 -> in.getLong();
      case 'K' -> stack.add((long) unsigned());
      case 'M' -> stack.add((long) (in.getShort() & 0xffff));
      case 'J' -> stack.add((long) in.getInt());
      case 0x8a -> stack.add(longOf(unsigned()));
      case 'G' -> stack.add(Double.longBitsToDouble(Long.reverseBytes(in.getLong())));
      case 0x88 -> stack.add(true);
      case 0x89 -> stack.add(false);
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean text(int opcode) {
    switch (opcode) {
      case 'X' -> stack.add(textOf(in.getInt()));
      case 0x8c -> stack.add(textOf(unsigned()));
      case 'q' -> remember(unsigned());
      case 'r' -> remember(in.getInt());
      case 0x94 -> remember(memo.size());
      case 'h' -> stack.add(memo.get(unsigned()));
      case 'j' -> stack.add(memo.get(in.getInt()));
      default -> {
        return false;
      }
    }
    return true;
  }

  private void container(int opcode) {
    switch (opcode) {
      case '}' -> stack.add(new LinkedHashMap<Object, Object>());
      case ']' -> stack.add(new ArrayList<Object>());
      case '(' -> {
        below.push(stack);
        stack = new ArrayList<>();
      }
      case 'u' -> {
        List<Object> items = toMark();
        for (int i = 0; i < items.size(); i += 2) {
          if (dict(top()).put(items.get(i), items.get(i + 1)) != null) {
            throw new AssertionError("key twice: " + items.get(i));
          }
        }
      }
      case 'e' -> {
        List<Object> items = toMark();
        list(top()).addAll(items);
      }
      case 'a' -> {
        Object item = stack.remove(stack.size() - 1);
        list(top()).add(item);
      }
      case 0x86 -> {
        Object second = stack.remove(stack.size() - 1);
        Object first = stack.remove(stack.size() - 1);
        stack.add(List.of(first, second));
      }
      default -> throw new AssertionError("opcode " + opcode + " before " + in.position());
    }
  }

  private int unsigned() {
    return in.get() & 0xff;
  }

  private long longOf(int bytes) {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value |= (long) unsigned() << (8 * i);
    }
    int unused = 64 - 8 * bytes;
    return bytes == 0 ? 0 : value << unused >> unused;
  }

  private String textOf(int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private void remember(int index) {
    if (index != memo.size()) {
      throw new AssertionError("memo " + index + " after " + memo.size());
    }
    memo.add(top());
  }

  private Object top() {
    return stack.get(stack.size() - 1);
  }

  private List<Object> toMark() {
    List<Object> items = stack;
    stack = below.pop();
    return items;
  }

  @SuppressWarnings("unchecked") // Only this class makes lists and maps here.
  private static List<Object> list(Object value) {
    return (List<Object>) value;
  }

  @SuppressWarnings("unchecked")
  private static Map<Object, Object> dict(Object value) {
    return (Map<Object, Object>) value;
  }
}
