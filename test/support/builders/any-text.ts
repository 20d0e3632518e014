import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };
const codePoint = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((nth) => String.fromCodePoint(nth < SURROGATES.from ? nth : nth + SURROGATES.count));

/**
 * Text of any code points, in lengths of these. It is `fc.string` with the unit `binary`, which makes a table of the
 * whole of Unicode each time.
 */
export function anyText(length: fc.ArrayConstraints = {}): fc.Arbitrary<string> {
  return fc.array(codePoint, length).map((characters) => characters.join(''));
}
