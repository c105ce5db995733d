package org.vramkit.export;

import java.io.IOException;
import java.util.List;

/** Writes a tree of dictionaries, lists, numbers and texts as a stream. Not thread-safe. */
abstract class ValueWriter {
  abstract void beginDict() throws IOException;

  abstract void endDict() throws IOException;

  abstract void beginList() throws IOException;

  abstract void endList() throws IOException;

  /** Writes the key of the next value of a dictionary. */
  abstract void key(String key) throws IOException;

  abstract void number(long value) throws IOException;

  abstract void flag(boolean value) throws IOException;

  abstract void text(String value) throws IOException;

  /** Writes a pair of numbers. */
  abstract void pair(long first, long second) throws IOException;

  /** Completes the output after the top-level value. */
  abstract void finish() throws IOException;

  final void field(String key, long value) throws IOException {
    key(key);
    number(value);
  }

  final void field(String key, String value) throws IOException {
    key(key);
    text(value);
  }

  /** Writes a list of frames, innermost first. */
  void stack(List<StackTraceElement> frames) throws IOException {
    beginList();
    for (StackTraceElement each : frames) {
      frame(each);
    }
    endList();
  }

  /** Writes a frame in PyTorch's form. */
  void frame(StackTraceElement frame) throws IOException {
    beginDict();
    field("filename", frame.getFileName() == null ? "unknown" : frame.getFileName());
    field("line", Math.max(0, frame.getLineNumber()));
    field("name", frame.getClassName() + "." + frame.getMethodName());
    endDict();
  }
}
