package org.vramkit.ptx.syntax;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types of PTX that registers, variables and instructions have. */
public enum Type {
  U8(8, Kind.UNSIGNED),
  U16(16, Kind.UNSIGNED),
  U32(32, Kind.UNSIGNED),
  U64(64, Kind.UNSIGNED),
  S8(8, Kind.SIGNED),
  S16(16, Kind.SIGNED),
  S32(32, Kind.SIGNED),
  S64(64, Kind.SIGNED),
  B8(8, Kind.BITS),
  B16(16, Kind.BITS),
  B32(32, Kind.BITS),
  B64(64, Kind.BITS),
  B128(128, Kind.BITS),
  F16(16, Kind.FLOAT),
  F32(32, Kind.FLOAT),
  F64(64, Kind.FLOAT),
  BF16(16, Kind.FLOAT),
  F16X2(32, Kind.FLOAT),
  BF16X2(32, Kind.FLOAT),
  TF32(32, Kind.FLOAT),
  E4M3X2(16, Kind.FLOAT),
  E5M2X2(16, Kind.FLOAT),
  U16X2(32, Kind.UNSIGNED),
  S16X2(32, Kind.SIGNED),
  PRED(1, Kind.PREDICATE);

  /** Families of types. */
  public enum Kind {
    UNSIGNED,
    SIGNED,
    BITS,
    FLOAT,
    PREDICATE
  }

  private static final Map<String, Type> BY_NAME =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Type::getText, Function.identity()));

  public final int bits;
  public final Kind kind;

  Type(int bits, Kind kind) {
    this.bits = bits;
    this.kind = kind;
  }

  /** Returns the type of a name without its dot, or null. */
  public static @Nullable Type of(String name) {
    return BY_NAME.get(name);
  }

  /** Returns the name without its dot. */
  public String getText() {
    return name().toLowerCase(Locale.ROOT);
  }

  public int getBytes() {
    return Math.max(1, bits / 8);
  }

  public boolean isSigned() {
    return kind == Kind.SIGNED;
  }

  public boolean isFloat() {
    return kind == Kind.FLOAT;
  }

  /** Returns whether values are pairs of halves. */
  public boolean isPacked() {
    return this == F16X2 || this == BF16X2 || this == U16X2 || this == S16X2;
  }

  /** Returns the type of one half of a packed type. */
  public Type getHalf() {
    return switch (this) {
      case F16X2 -> F16;
      case BF16X2 -> BF16;
      case U16X2 -> U16;
      case S16X2 -> S16;
      default -> this;
    };
  }

  /** Returns whether a register of this type may stand where an instruction wants another type. */
  public boolean agreesWith(Type wanted, boolean wider) {
    boolean fits = wider ? bits >= wanted.bits : bits == wanted.bits;
    boolean either = kind == Kind.BITS || wanted.kind == Kind.BITS || wanted.bits == 16;
    return fits && (either || wanted.isPacked() || isFloat() == wanted.isFloat());
  }
}
