/**
 * Letters that are confused with ASCII ones, by script: the lower-case rows of Unicode's confusables.txt 13.0.0 (UTS #39)
 * whose letters UTS-46 allows, without letters for phonetics and historic scripts.
 */
const LATIN: Readonly<Record<string, string>> = { a: 'ɑ', g: 'ɡ', i: 'ı', s: 'ƽ', u: 'ʋ', y: 'ɣ' };
const OTHER_SCRIPTS: readonly Readonly<Record<string, string>>[] = [
  // Cyrillic
  {
    ...{ a: 'а', c: 'с', d: 'ԁ', e: 'еҽ', h: 'һ', i: 'і', j: 'ј', l: 'ӏ', o: 'о', p: 'р', q: 'ԛ', r: 'г', s: 'ѕ' },
    ...{ v: 'ѵ', w: 'ԝѡ', x: 'х', y: 'уү' },
  },
  // Greek
  { a: 'α', i: 'ι', j: 'ϳ', o: 'οσ', p: 'ρ', u: 'υ', v: 'ν', y: 'γ' },
  // Armenian
  { f: 'ք', g: 'ց', h: 'հ', n: 'ոռ', o: 'օ', q: 'գզ', u: 'ս', w: 'ա' },
];

/** Pairs within ASCII, in both directions: `0 O`, `1 l`, `I l` and `m rn` of the same file, and those that close up. */
const ASCII_PAIRS = [
  ...[['o', '0'] as const, ['l', '1'] as const, ['i', 'l'] as const, ['i', '1'] as const, ['m', 'rn'] as const],
  ...[['w', 'vv'] as const, ['d', 'cl'] as const],
];
export const ASCII_CONFUSABLES: readonly (readonly [string, string])[] = ASCII_PAIRS.flatMap(([one, other]) => [
  [one, other],
  [other, one],
]);

/** Latin-1 Supplement and Latin Extended-A: what registries of European languages allow. */
const ACCENTED = Array.from({ length: 0x180 - 0xe0 }, (_, at) => String.fromCodePoint(0xe0 + at)).filter(
  (letter) => letter === letter.toLowerCase() && letter.normalize('NFD').length > 1,
);

/** By ASCII letter, the Latin ones that differ from it by a detail or an accent. */
export const LATIN_CONFUSABLES: ReadonlyMap<string, readonly string[]> = new Map(
  [...'abcdefghijklmnopqrstuvwxyz'].map((ascii) => [
    ascii,
    [...(LATIN[ascii] ?? ''), ...ACCENTED.filter((letter) => letter.normalize('NFD').startsWith(ascii))],
  ]),
);

/** By script, and by ASCII letter. */
export const SCRIPT_CONFUSABLES: readonly ReadonlyMap<string, readonly string[]>[] = OTHER_SCRIPTS.map(
  (script) => new Map(Object.entries(script).map(([ascii, letters]) => [ascii, [...letters]])),
);

const ASCII_BY_LETTER: ReadonlyMap<string, string> = new Map(
  SCRIPT_CONFUSABLES.flatMap((script) =>
    [...script].flatMap(([ascii, letters]) => letters.map((letter) => [letter, ascii] as const)),
  ),
);

/** The ASCII that a label in one other script is read as; null when it has letters that no ASCII is confused with. */
export function toConfusedAscii(label: string): string | null {
  const read = [...label].map((letter) => (letter < '\x80' ? letter : ASCII_BY_LETTER.get(letter)));
  return read.every((letter) => letter !== undefined) ? read.join('') : null;
}
