package org.vramkit.tools.trace;

/** Names of refused opcodes, for error messages. */
final class PickleOpcodes {
  private PickleOpcodes() {}

  /** Returns the name of a refused opcode. */
  static String name(int opcode) {
    return switch (opcode) {
      case 'I' -> "INT";
      case 'L' -> "LONG";
      case 0x8b -> "LONG4";
      case 'S' -> "STRING";
      case 'T' -> "BINSTRING";
      case 'U' -> "SHORT_BINSTRING";
      case 'B' -> "BINBYTES";
      case 'C' -> "SHORT_BINBYTES";
      case 0x8e -> "BINBYTES8";
      case 0x96 -> "BYTEARRAY8";
      case 0x97 -> "NEXT_BUFFER";
      case 0x98 -> "READONLY_BUFFER";
      case 'V' -> "UNICODE";
      case 0x8d -> "BINUNICODE8";
      case 'F' -> "FLOAT";
      case 0x8f -> "EMPTY_SET";
      case 0x90 -> "ADDITEMS";
      case 0x91 -> "FROZENSET";
      case '0' -> "POP";
      case '2' -> "DUP";
      case '1' -> "POP_MARK";
      case 'g' -> "GET";
      case 'p' -> "PUT";
      case 0x82 -> "EXT1";
      case 0x83 -> "EXT2";
      case 0x84 -> "EXT4";
      case 'c' -> "GLOBAL";
      case 0x93 -> "STACK_GLOBAL";
      case 'R' -> "REDUCE";
      case 'b' -> "BUILD";
      case 'i' -> "INST";
      case 'o' -> "OBJ";
      case 0x81 -> "NEWOBJ";
      case 0x92 -> "NEWOBJ_EX";
      case 'P' -> "PERSID";
      case 'Q' -> "BINPERSID";
      default -> String.format("0x%02x", opcode);
    };
  }
}
