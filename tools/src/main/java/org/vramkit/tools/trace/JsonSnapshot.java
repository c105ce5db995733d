package org.vramkit.tools.trace;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonParser.NumberType;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@link TraceFormat#SNAPSHOT_JSON} as a stream, keeping only the trace in memory. */
final class JsonSnapshot implements Position {
  // The same limit of nesting as for pickles.
  private static final int MAX_DEPTH = 100;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(PickleInput.MAX_STRING)
                  .build())
          .build();

  // Advice in the parser's messages that addresses programmers, removed from errors.
  private static final Pattern FOR_PROGRAMMERS =
      Pattern.compile(",? from `StreamReadConstraints[^`]*`|: enable `[^`]*` to allow");

  private final String name;
  private final JsonParser json;
  private final SnapshotBuilder builder;
  private boolean tracesSeen;
  private boolean segmentsSeen;
  // An invalid number of the current entry, which matters only if its action is known.
  private @Nullable TraceException wrongNumber;

  private JsonSnapshot(String name, JsonParser json, boolean detailed) {
    this.name = name;
    this.json = json;
    this.builder = new SnapshotBuilder(this, detailed);
  }

  static List<Trace> read(TraceInput input, boolean detailed) {
    try (JsonParser json = FACTORY.createParser(input.getBytes())) {
      JsonSnapshot snapshot = new JsonSnapshot(input.getName(), json, detailed);
      try {
        snapshot.root();
      } catch (JsonEOFException e) {
        throw snapshot.endsEarly();
      } catch (JsonProcessingException e) {
        throw snapshot.error(FOR_PROGRAMMERS.matcher(e.getOriginalMessage()).replaceAll(""));
      } catch (IOException e) {
        throw TraceInput.failed(snapshot.where(), e);
      }
      return snapshot.builder.build(input.getName(), TraceFormat.SNAPSHOT_JSON);
    } catch (IOException e) {
      throw TraceInput.failed(input.getName(), e);
    }
  }

  @Override
  public TraceException error(String problem) {
    return new TraceException(where(), problem);
  }

  private TraceException endsEarly() {
    return error("the JSON ends too early or is not an object; the file is truncated");
  }

  /** Returns line and byte, because many snapshots are a single line. */
  private String where() {
    JsonLocation at = json.currentLocation();
    // The parser reads UTF-16 by character and does not count bytes.
    String place = at.getByteOffset() < 0 ? "" : ":byte " + at.getByteOffset();
    return name + ":" + at.getLineNr() + place;
  }

  private void root() throws IOException {
    if (json.nextToken() == JsonToken.START_ARRAY) {
      segments();
    } else {
      members();
    }
    if (json.nextToken() != null) {
      throw error("data follows the end of the snapshot; the file is damaged");
    }
    if (!tracesSeen && !segmentsSeen) {
      throw error("device_traces is missing; this is not a memory snapshot");
    }
  }

  private void members() throws IOException {
    while (nextKey()) {
      String key = json.currentName();
      json.nextToken();
      if (key.equals("device_traces")) {
        traces();
      } else if (key.equals("segments")) {
        segments();
      } else if (key.equals("traceEvents")) {
        throw error(ForeignFormat.TRACE_EVENTS.getAdvice());
      } else if (key.equals("allocator_settings")) {
        settings();
      } else {
        json.skipChildren();
      }
    }
  }

  private void segments() throws IOException {
    startArray("segments");
    while (nextObject("a segment")) {
      segment();
    }
    segmentsSeen = true;
  }

  /** Reads the settings, which tell of dropped events. */
  private void settings() throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      json.skipChildren();
      return;
    }
    while (nextKey()) {
      String key = json.currentName();
      JsonToken value = json.nextToken();
      if (value == JsonToken.VALUE_NUMBER_INT) {
        builder.setting(key, orZero(number(key)));
      } else if (value == JsonToken.VALUE_TRUE) {
        builder.setting(key, 1);
      } else {
        json.skipChildren();
      }
    }
  }

  private void traces() throws IOException {
    if (tracesSeen) {
      throw error("device_traces occurs twice; the file is damaged");
    }
    tracesSeen = true;
    startArray("device_traces");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      startArray("a device's trace");
      builder.nextDevice();
      while (nextObject("a trace entry")) {
        entry();
      }
    }
  }

  private void entry() throws IOException {
    String action = null;
    Long address = null;
    Long size = null;
    Long stream = null;
    Long micros = null;
    int tag = 0;
    int stack = 0;
    wrongNumber = null;
    while (nextKey()) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "action" -> action = json.getValueAsString();
        case "addr", "device_free" -> address = numberOfEntry(key, true);
        case "user_metadata" -> tag = tag();
        case "frames" -> stack = stack();
        case "size" -> size = numberOfEntry(key, false);
        case "stream" -> stream = numberOfEntry(key, true);
        case "time_us" -> micros = numberOfEntry(key, false);
        default -> json.skipChildren();
      }
    }
    if (wrongNumber != null && SnapshotAction.of(action) != SnapshotAction.UNKNOWN) {
      throw wrongNumber;
    }
    builder.entry(action, address, size, stream, micros, new Origin(tag, stack, 0));
  }

  private void segment() throws IOException {
    long device = 0;
    Long address = null;
    long stream = 0;
    long bytes = 0;
    // The segment's own address, device and stream may come after its blocks.
    List<Block> blocks = new ArrayList<>();
    while (nextKey()) {
      String key = json.currentName();
      json.nextToken();
      switch (key) {
        case "device" -> device = orZero(number(key));
        case "address" -> address = address(key);
        case "stream" -> stream = orZero(address(key));
        case "total_size" -> bytes = orZero(number(key));
        case "blocks" -> blocks(blocks);
        default -> json.skipChildren();
      }
    }
    builder.segment(device, bytes);
    for (Block block : blocks) {
      long start = block.relative ? orZero(address) + block.start : block.start;
      builder.block(block.state, device, start, block.size, block.requested, stream, block.origin);
    }
  }

  /** A block of one segment that holds memory. */
  private record Block(
      String state,
      long start,
      boolean relative,
      long size,
      @Nullable Long requested,
      Origin origin) {}

  private void blocks(List<Block> blocks) throws IOException {
    startArray("a segment's blocks");
    long offset = 0;
    while (nextObject("a block")) {
      Long address = null;
      long size = 0;
      Long requested = null;
      String state = "";
      int tag = 0;
      int stack = 0;
      while (nextKey()) {
        String key = json.currentName();
        json.nextToken();
        switch (key) {
          case "address" -> address = address(key);
          case "size" -> size = orZero(number(key));
          case "requested_size" -> requested = number(key);
          case "state" -> state = String.valueOf(json.getValueAsString());
          case "user_metadata" -> tag = tag();
          case "frames" -> stack = stack();
          default -> json.skipChildren();
        }
      }
      if (state.startsWith("active")) {
        blocks.add(
            new Block(
                state,
                address == null ? offset : address,
                address == null,
                size,
                requested,
                new Origin(tag, stack, 0)));
      }
      offset += size;
    }
  }

  private int tag() throws IOException {
    Origins origins = builder.getOrigins();
    String text = json.currentToken() == JsonToken.VALUE_STRING ? json.getText() : "";
    json.skipChildren();
    return origins == null ? 0 : origins.tags.number(text);
  }

  /** Reads a stack, the innermost frame first, skipping frames that are not objects. */
  private int stack() throws IOException {
    Origins origins = builder.getOrigins();
    if (origins == null || json.currentToken() != JsonToken.START_ARRAY) {
      json.skipChildren();
      return 0;
    }
    JsonToken token = json.nextToken();
    while (token != JsonToken.END_ARRAY) {
      if (token == null) {
        throw endsEarly();
      }
      if (token == JsonToken.START_OBJECT) {
        origins.stacks.frame(frame());
      } else {
        json.skipChildren();
      }
      token = json.nextToken();
    }
    return origins.stacks.number();
  }

  private String frame() throws IOException {
    String file = "";
    String name = "";
    Long line = null;
    while (nextKey()) {
      String key = json.currentName();
      JsonToken value = json.nextToken();
      switch (key) {
        case "filename" -> file = String.valueOf(json.getValueAsString());
        case "name" -> name = String.valueOf(json.getValueAsString());
        case "line" -> line = value == JsonToken.VALUE_NUMBER_INT ? number(key) : null;
        default -> json.skipChildren();
      }
    }
    return StackTable.frame(name, file, line);
  }

  private void startArray(String what) {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw error(what + " is not a list; this is not a memory snapshot");
    }
  }

  private boolean nextObject(String what) throws IOException {
    JsonToken token = json.nextToken();
    if (token != JsonToken.START_OBJECT && token != JsonToken.END_ARRAY) {
      throw error(what + " is not an object; this is not a memory snapshot");
    }
    return token == JsonToken.START_OBJECT;
  }

  /** Advances to the next key; returns false at the end of the object. */
  private boolean nextKey() throws IOException {
    JsonToken token = json.nextToken();
    if (token != JsonToken.FIELD_NAME && token != JsonToken.END_OBJECT) {
      throw endsEarly();
    }
    return token == JsonToken.FIELD_NAME;
  }

  private @Nullable Long numberOfEntry(String key, boolean isAddress) throws IOException {
    try {
      return isAddress ? address(key) : number(key);
    } catch (TraceException e) {
      wrongNumber = e;
      json.skipChildren();
      return null;
    }
  }

  /** Reads an address or a stream's handle, up to 2^64 - 1. */
  private @Nullable Long address(String key) throws IOException {
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT
        || json.getNumberType() != NumberType.BIG_INTEGER) {
      return number(key);
    }
    BigInteger value = json.getBigIntegerValue();
    if (value.signum() < 0 || value.bitLength() > Long.SIZE) {
      throw error(key + " does not fit 64 bits");
    }
    return value.longValue();
  }

  private @Nullable Long number(String key) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw error(key + " is not a whole number");
    }
    return switch (json.getNumberType()) {
      case INT, LONG -> json.getLongValue();
      default -> throw error(key + " does not fit 64 bits");
    };
  }

  private static long orZero(@Nullable Long value) {
    return value == null ? 0 : value;
  }
}
