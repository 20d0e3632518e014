/**
 * Letters that are confused with ASCII ones, by script: the lower-case rows of Unicode's confusables.txt 13.0.0 (UTS #39)
 * whose letters UTS-46 allows, without letters for phonetics and historic scripts.
 */
const LATIN: Readonly<Record<string, string>> = { a: 'ɑ', g: 'ɡ', i: 'ı', s: 'ƽ', u: 'ʋ', y: 'ɣ' };
const OTHER_SCRIPTS: readonly Readonly<Record<string, string>>[] = [
  // Cyrillic
  {
    a: 'а',
    c: 'с',
    d: 'ԁ',
    e: 'еҽ',
    h: 'һ',
    i: 'і',
    j: 'ј',
    l: 'ӏ',
    o: 'о',
    p: 'р',
    q: 'ԛ',
    r: 'г',
    s: 'ѕ',
    v: 'ѵ',
    w: 'ԝѡ',
    x: 'х',
    y: 'уү',
  },
  // Greek
  { a: 'α', i: 'ι', j: 'ϳ', o: 'οσ', p: 'ρ', u: 'υ', v: 'ν', y: 'γ' },
  // Armenian
  { f: 'ք', g: 'ց', h: 'հ', n: 'ոռ', o: 'օ', q: 'գզ', u: 'ս', w: 'ա' },
];

/** Pairs within ASCII, in both directions: `0 O`, `1 l`, `I l` and `m rn` of the same file, and those that close up. */
const ASCII_PAIRS = [
  ['o', '0'] as const,
  ['l', '1'] as const,
  ['i', 'l'] as const,
  ['i', '1'] as const,
  ['m', 'rn'] as const,
  ['w', 'vv'] as const,
  ['d', 'cl'] as const,
];
const ASCII_CONFUSABLES: readonly (readonly [string, string])[] = ASCII_PAIRS.flatMap(([one, other]) => [
  [one, other],
  [other, one],
]);

/** Latin-1 Supplement and Latin Extended-A: what registries of European languages allow. */
const ACCENTED = Array.from({ length: 0x180 - 0xe0 }, (_, at) => String.fromCodePoint(0xe0 + at)).filter(
  (letter) => letter === letter.toLowerCase() && letter.normalize('NFD').length > 1,
);

/** Lists by ASCII letter the Latin ones that differ from it by a detail or an accent. */
export const LATIN_CONFUSABLES: ReadonlyMap<string, readonly string[]> = new Map(
  [...'abcdefghijklmnopqrstuvwxyz'].map((ascii) => [
    ascii,
    [...(LATIN[ascii] ?? ''), ...ACCENTED.filter((letter) => letter.normalize('NFD').startsWith(ascii))],
  ]),
);

/** Lists them by script and by ASCII letter. */
export const SCRIPT_CONFUSABLES: readonly ReadonlyMap<string, readonly string[]>[] = OTHER_SCRIPTS.map(
  (script) => new Map(Object.entries(script).map(([ascii, letters]) => [ascii, [...letters]])),
);

const ASCII_BY_LETTER: ReadonlyMap<string, string> = new Map(
  SCRIPT_CONFUSABLES.flatMap((script) =>
    [...script].flatMap(([ascii, letters]) => letters.map((letter) => [letter, ascii] as const)),
  ),
);

/** The ASCII that a label in one other script is read as; null when it has letters that no ASCII is confused with. */
function toConfusedAscii(label: string): string | null {
  const read = [...label].map((letter) => (letter < '\x80' ? letter : ASCII_BY_LETTER.get(letter)));
  return read.every((letter) => letter !== undefined) ? read.join('') : null;
}

/**
 * Labels that are read as this one: Unicode in, Unicode out, perhaps invalid or repeated. Registries reject labels that
 * mix scripts, so letters of another script replace all letters or none.
 */
export function* homoglyphsOf(label: string): Generator<string> {
  yield* substitute(label);
  yield* accent(label);
  const ascii = toConfusedAscii(label);
  if (ascii === null) return;
  yield ascii;
  for (const script of SCRIPT_CONFUSABLES) yield* transcribe(ascii, script);
}

/** One pair of ASCII characters at one place. */
function* substitute(label: string): Generator<string> {
  for (let at = 0; at < label.length; at += 1)
    for (const [written, read] of ASCII_CONFUSABLES)
      if (label.startsWith(written, at)) yield label.slice(0, at) + read + label.slice(at + written.length);
}

/** One letter with an accent, or another Latin letter. */
function* accent(label: string): Generator<string> {
  const characters = [...label];
  for (const [at, character] of characters.entries())
    for (const letter of LATIN_CONFUSABLES.get(character) ?? []) yield characters.with(at, letter).join('');
}

/** All letters in the other script, where it has each of them; then with the second choice for one of them. */
function* transcribe(ascii: string, script: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const choices = [...ascii].map((character) => (/[a-z]/.test(character) ? script.get(character) : [character]) ?? []);
  if (choices.some(({ length }) => length === 0)) return;
  const first = choices.map(([letter = '']) => letter);
  yield first.join('');
  for (const [at, letters] of choices.entries())
    for (const letter of letters.slice(1)) yield first.with(at, letter).join('');
}
