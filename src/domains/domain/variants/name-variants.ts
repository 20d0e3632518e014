import { DomainName, InvalidDomainNameError, type PublicSuffixes } from '../name/domain-name.js';

export const VARIANT_KINDS = ['typo', 'homoglyph', 'tld'] as const;
export type VariantKind = (typeof VARIANT_KINDS)[number];

export interface NameVariant {
  readonly name: DomainName;
  readonly kind: VariantKind;
}

export interface VariantRules {
  /** The kinds in the order of the results. */
  readonly kinds: readonly VariantKind[];
  readonly suffixes: PublicSuffixes;
  /** Suffixes for the kind `tld`, in the order of the results. */
  readonly tlds: readonly string[];
  readonly max: number;
}

/**
 * Yields similar names, each once and always in the same order. A thousand take a tenth of a second, so callers should
 * let other requests run in between.
 */
export function* findNameVariants(
  name: DomainName,
  { kinds, suffixes, tlds, max }: VariantRules,
): Generator<NameVariant, void, void> {
  const found = new Set([name.ascii]);
  for (const kind of kinds)
    for (const candidate of candidatesOf(name, kind, tlds)) {
      if (found.size > max) return;
      const variant = parseIfValid(candidate, suffixes);
      if (!variant || found.has(variant.ascii)) continue;
      found.add(variant.ascii);
      yield { name: variant, kind };
    }
}

export function listNameVariants(name: DomainName, rules: VariantRules): readonly NameVariant[] {
  return [...findNameVariants(name, rules)];
}

function* candidatesOf({ unicode }: DomainName, kind: VariantKind, tlds: readonly string[]): Generator<string> {
  const dot = unicode.indexOf('.');
  const [label, suffix] = [unicode.slice(0, dot), unicode.slice(dot + 1)];
  if (kind === 'tld') for (const tld of tlds) yield `${label}.${tld}`;
  else for (const variant of kind === 'typo' ? typosOf(label) : homoglyphsOf(label)) yield `${variant}.${suffix}`;
}

function parseIfValid(candidate: string, suffixes: PublicSuffixes): DomainName | null {
  try {
    return DomainName.parse(candidate, suffixes);
  } catch (error) {
    if (error instanceof InvalidDomainNameError) return null;
    throw error;
  }
}

/** The rows of a QWERTY keyboard. Each row lies less than one key to the right of the row above. */
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].map((row) => [...row]);

const NEIGHBOURS: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.flatMap((keys, row) => keys.map((key, at) => [key, neighboursOf(row, at)] as const)),
);

/** Yields Unicode labels that result from one slip of the fingers. Labels may be invalid or repeated. */
function* typosOf(label: string): Generator<string> {
  const characters = [...label];
  const splice = (at: number, removed: number, ...added: string[]) =>
    characters.toSpliced(at, removed, ...added).join('');
  const keys = characters.map((character) => NEIGHBOURS.get(character) ?? []);
  yield* characters.map((_, at) => splice(at, 1));
  yield* characters.map((character, at) => splice(at, 0, character));
  yield* characters.slice(1).map((next, at) => splice(at, 2, next, characters[at] ?? ''));
  yield* keys.flatMap((neighbours, at) => neighbours.map((key) => splice(at, 1, key)));
  yield* keys.flatMap((neighbours, at) => neighbours.flatMap((key) => [splice(at, 0, key), splice(at + 1, 0, key)]));
}

function neighboursOf(row: number, at: number): readonly string[] {
  const [above, same, below] = [ROWS[row - 1], ROWS[row], ROWS[row + 1]];
  return [above?.[at], above?.[at + 1], same?.[at - 1], same?.[at + 1], below?.[at - 1], below?.[at]].filter(
    (key) => key !== undefined,
  );
}

/**
 * Look-alikes of ASCII letters. Source: Unicode's confusables.txt 13.0.0 (UTS #39), the lower-case rows that UTS-46
 * allows, without phonetic and historic letters.
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

/** Pairs of ASCII texts that look alike, such as `l` and `1` (Unicode's confusables.txt), or `vv` and `w`. */
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

/** The accented letters of Latin-1 Supplement and Latin Extended-A. Registries in Europe allow such letters. */
const ACCENTED = Array.from({ length: 0x180 - 0xe0 }, (_, at) => String.fromCodePoint(0xe0 + at)).filter(
  (letter) => letter === letter.toLowerCase() && letter.normalize('NFD').length > 1,
);

/** The Latin letters that look like each ASCII letter, including accented letters. */
export const LATIN_CONFUSABLES: ReadonlyMap<string, readonly string[]> = new Map(
  [...'abcdefghijklmnopqrstuvwxyz'].map((ascii) => [
    ascii,
    [...(LATIN[ascii] ?? ''), ...ACCENTED.filter((letter) => letter.normalize('NFD').startsWith(ascii))],
  ]),
);

export const SCRIPT_CONFUSABLES: readonly ReadonlyMap<string, readonly string[]>[] = OTHER_SCRIPTS.map(
  (script) => new Map(Object.entries(script).map(([ascii, letters]) => [ascii, [...letters]])),
);

const ASCII_BY_LETTER: ReadonlyMap<string, string> = new Map(
  SCRIPT_CONFUSABLES.flatMap((script) =>
    [...script].flatMap(([ascii, letters]) => letters.map((letter) => [letter, ascii] as const)),
  ),
);

/** Returns the ASCII text that a label looks like, or null if a letter looks like no ASCII letter. */
function toConfusedAscii(label: string): string | null {
  const read = [...label].map((letter) => (letter < '\x80' ? letter : ASCII_BY_LETTER.get(letter)));
  return read.every((letter) => letter !== undefined) ? read.join('') : null;
}

/**
 * Yields labels that look like the label; some are invalid or repeated. Does not mix scripts, because registries reject
 * mixed labels.
 */
function* homoglyphsOf(label: string): Generator<string> {
  yield* substitute(label);
  yield* accent(label);
  const ascii = toConfusedAscii(label);
  if (ascii === null) return;
  yield ascii;
  for (const script of SCRIPT_CONFUSABLES) yield* transcribe(ascii, script);
}

/** Replaces ASCII characters at one place by characters that look alike. */
function* substitute(label: string): Generator<string> {
  for (let at = 0; at < label.length; at += 1)
    for (const [written, read] of ASCII_CONFUSABLES)
      if (label.startsWith(written, at)) yield label.slice(0, at) + read + label.slice(at + written.length);
}

function* accent(label: string): Generator<string> {
  const characters = [...label];
  for (const [at, character] of characters.entries())
    for (const letter of LATIN_CONFUSABLES.get(character) ?? []) yield characters.with(at, letter).join('');
}

/**
 * If each letter has a look-alike in the script, yields the text in that script, then each text with another look-alike
 * of one letter.
 */
function* transcribe(ascii: string, script: ReadonlyMap<string, readonly string[]>): Generator<string> {
  const choices = [...ascii].map((character) => (/[a-z]/.test(character) ? script.get(character) : [character]) ?? []);
  if (choices.some(({ length }) => length === 0)) return;
  const first = choices.map(([letter = '']) => letter);
  yield first.join('');
  for (const [at, letters] of choices.entries())
    for (const letter of letters.slice(1)) yield first.with(at, letter).join('');
}
