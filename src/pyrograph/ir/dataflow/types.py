"""The types of the dialect, and how a tagged value is one word.

* Native types are scalars: integers without sign (``i1``, ``i8``, ...), floats, and ``index``, which has 64 bits.
* ``!dataflow.tagged<value, tag>`` pairs a native value with a small unsigned integer. As a word, the value occupies
  the low bits and the tag those above it.

Nothing is rounded: a number that a type cannot hold exactly is refused, and ``decode(encode(x))`` is ``x``, bit by bit,
for NaNs too. Integers have no sign in the type; as Python numbers they are read as two's complement, and ``i1`` as 0
or 1.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.dataflow.errors import DataflowError

Number = int | float


@dataclass(frozen=True, slots=True)
class Scalar:
    """A native type of ``width`` bits; a float has ``exponent`` bits of exponent, others none."""

    name: str
    width: int
    exponent: int = 0

    def __str__(self) -> str:
        return self.name

    def encode(self, value: Number) -> int:
        """The bits of ``value``, as a number from 0.

        Raises:
            DataflowError: This type cannot hold ``value`` exactly.
        """
        if self.exponent:
            return _encode_float(self, float(value))
        if not isinstance(value, int) or not -(1 << (self.width - 1)) <= value < 1 << self.width:
            raise DataflowError(f"{value!r} does not fit into {self}; it holds whole numbers of {self.width} bits")
        return value & ((1 << self.width) - 1)

    def decode(self, bits: int) -> Number:
        """The number whose bits are ``bits``."""
        if self.exponent:
            return _decode_float(self, bits)
        signed = self.width > 1 and bits >> (self.width - 1)
        return bits - (1 << self.width) if signed else bits


SCALARS: Final[dict[str, Scalar]] = {
    scalar.name: scalar
    for scalar in (
        Scalar("i1", 1),
        Scalar("i8", 8),
        Scalar("i16", 16),
        Scalar("i32", 32),
        Scalar("i64", 64),
        Scalar("bf16", 16, exponent=8),
        Scalar("f16", 16, exponent=5),
        Scalar("f32", 32, exponent=8),
        Scalar("f64", 64, exponent=11),
        Scalar("index", 64),
    )
}
I1: Final = SCALARS["i1"]
INDEX: Final = SCALARS["index"]
MAX_TAG: Final = 16  # bits


@dataclass(frozen=True, slots=True)
class Tagged:
    """``!dataflow.tagged<value, iN>``: a value in the low bits, a tag of ``tag`` bits above it."""

    value: Scalar
    tag: int

    def __post_init__(self) -> None:
        if SCALARS.get(self.value.name) != self.value:
            raise DataflowError(f"the value of a tagged type is {self.value}, but must be one of {', '.join(SCALARS)}")
        if not 1 <= self.tag <= MAX_TAG:
            raise DataflowError(f"the tag of a tagged type is i{self.tag}, but must be one of i1 to i{MAX_TAG}")

    def __str__(self) -> str:
        return f"!dataflow.tagged<{self.value}, i{self.tag}>"

    @property
    def width(self) -> int:
        """Bits of the packed word: 2 to 80."""
        return self.value.width + self.tag

    def pack(self, value: Number, tag: int) -> int:
        """One word for a value and its tag.

        >>> bin(Tagged(SCALARS["i8"], 4).pack(-1, 0b0101))
        '0b10111111111'

        Raises:
            DataflowError: The value's type or the tag's bits cannot hold it.
        """
        if not 0 <= tag < 1 << self.tag:
            raise DataflowError(f"the tag {tag} does not fit into the {self.tag} bits of {self}; it is unsigned")
        return tag << self.value.width | self.value.encode(value)

    def unpack(self, word: int) -> tuple[Number, int]:
        """The value and the tag of a word.

        >>> Tagged(SCALARS["f32"], 5).unpack(0b10001 << 32 | 0x3F800000)
        (1.0, 17)

        Raises:
            DataflowError: The word has more bits than the type.
        """
        if not 0 <= word < 1 << self.width:
            raise DataflowError(f"the word {word:#x} has more than the {self.width} bits of {self}")
        return self.value.decode(word & ((1 << self.value.width) - 1)), word >> self.value.width


Type = Scalar | Tagged

# The words that ``graph.fixpoint`` moves: what is followed in 32 low bits, up to 16 vulnerabilities still alive above.
FACT: Final = Tagged(SCALARS["i32"], MAX_TAG)

_TAGGED = re.compile(r"!dataflow\.tagged<\s*([^,]*?)\s*,\s*([^,]*?)\s*>")
_INTEGER = re.compile(r"i(0|[1-9][0-9]*)")
_OTHER_SHAPES = ("vector", "tensor", "memref", "complex")


def type_of(text: str) -> Type:
    """The type that ``text`` names.

    >>> type_of("!dataflow.tagged<f32, i5>").width
    37

    Raises:
        DataflowError: No type, or one that breaks a constraint; the message says which.
    """
    if text in SCALARS:
        return SCALARS[text]
    if text.startswith("!dataflow.tagged<"):
        parts = _TAGGED.fullmatch(text)
        if parts is None:
            raise DataflowError(f"{text} is no tagged type; write !dataflow.tagged<i32, i4>")
        value = SCALARS.get(parts[1])
        if value is None:
            raise DataflowError(f"the value of a tagged type is {_refused(parts[1])}")
        width = _INTEGER.fullmatch(parts[2])
        if width is None:
            raise DataflowError(f"the tag of a tagged type is {parts[2]}, but must be an integer without sign")
        return Tagged(value, int(width[1]))
    raise DataflowError(f"the type is {_refused(text)}")


def _refused(text: str) -> str:
    shape = next((shape for shape in _OTHER_SHAPES if text.startswith(shape)), None)
    if shape is not None:
        return f"{text}, but must be scalar; the dialect has no {shape} types"
    return f"{text or 'missing'}, but must be one of {', '.join(SCALARS)}"


def _mantissa(scalar: Scalar) -> int:
    return scalar.width - 1 - scalar.exponent


def _decode_float(scalar: Scalar, bits: int) -> float:
    """Widen to a double, which holds every number and every NaN of the narrower formats."""
    if scalar.width == 64:
        return float(struct.unpack("<d", struct.pack("<Q", bits))[0])
    mantissa = _mantissa(scalar)
    sign = bits >> (scalar.width - 1)
    exponent = bits >> mantissa & ((1 << scalar.exponent) - 1)
    fraction = bits & ((1 << mantissa) - 1)
    if exponent == (1 << scalar.exponent) - 1:
        wide = sign << 63 | 0x7FF << 52 | fraction << (52 - mantissa)
        return float(struct.unpack("<d", struct.pack("<Q", wide))[0])
    bias = (1 << (scalar.exponent - 1)) - 1
    whole = fraction if exponent == 0 else fraction | 1 << mantissa
    size = math.ldexp(whole, max(exponent, 1) - bias - mantissa)
    return -size if sign else size


def _encode_float(scalar: Scalar, value: float) -> int:
    wide = int(struct.unpack("<Q", struct.pack("<d", value))[0])
    if scalar.width == 64:
        return wide
    mantissa = _mantissa(scalar)
    sign = wide >> 63 << (scalar.width - 1)
    top = ((1 << scalar.exponent) - 1) << mantissa
    if not math.isfinite(value):
        fraction = wide & ((1 << 52) - 1)
        bits = sign | top | fraction >> (52 - mantissa)
        exact = fraction & ((1 << (52 - mantissa)) - 1) == 0
    else:
        bias = (1 << (scalar.exponent - 1)) - 1
        exponent = max(math.frexp(value)[1] - 1, 1 - bias) if value else 1 - bias
        units = abs(value) / math.ldexp(1.0, exponent) * (1 << mantissa)
        exact = units.is_integer() and exponent <= bias
        field = exponent + bias - 1 if exact else 0  # a whole bit of the units adds the 1 that is left
        bits = sign | (field << mantissa) + (int(units) if exact else 0)
    if not exact:
        raise DataflowError(f"{value!r} does not fit into {scalar} exactly; round it first")
    return bits
