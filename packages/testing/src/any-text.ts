import fc from 'fast-check'

const between = (min: number, max: number) => fc.integer({ min, max }).map((point) => String.fromCodePoint(point))

/** A letter of ASCII, any code point but half a pair, or several that are read as one. */
const unit = fc.oneof(
  between(0x20, 0x7e),
  between(0, 0xd7ff),
  between(0xe000, 0x10ffff),
  fc.constantFrom('e\u0301', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u{1f1f3}\u{1f1f4}', '\u0e01\u0e33', '\r\n'),
)

/**
 * Well-formed text of any letters. The units `binary` and `grapheme` of fast-check make a table of all code points when
 * they are first used, which takes a second and 100 MB in each worker of the tests.
 */
export function anyText(constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit })
}
