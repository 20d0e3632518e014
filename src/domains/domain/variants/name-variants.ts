import { DomainName, InvalidDomainNameError, type PublicSuffixes } from '../name/domain-name.js';
import { homoglyphsOf } from './homoglyphs.js';

export const VARIANT_KINDS = ['typo', 'homoglyph', 'tld'] as const;
export type VariantKind = (typeof VARIANT_KINDS)[number];

export interface NameVariant {
  readonly name: DomainName;
  readonly kind: VariantKind;
}

export interface VariantRules {
  /** Lists the kinds in the order of the results. */
  readonly kinds: readonly VariantKind[];
  /** Which names can be registered. */
  readonly suffixes: PublicSuffixes;
  /** Suffixes for the kind `tld`, in the order of the results. */
  readonly tlds: readonly string[];
  readonly max: number;
}

/**
 * Names that people mistake for this one or type instead: each once, never the name itself, in an order that depends on
 * nothing but the arguments. All are valid under IDNA and registrable; whether a registry accepts their letters is for
 * the registry to say.
 */
export function listNameVariants(
  name: DomainName,
  { kinds, suffixes, tlds, max }: VariantRules,
): readonly NameVariant[] {
  const found = new Map<string, NameVariant>();
  for (const kind of kinds)
    for (const candidate of candidatesOf(name, kind, tlds)) {
      if (found.size >= max) return [...found.values()];
      const variant = parseIfValid(candidate, suffixes);
      if (variant && !variant.equals(name) && !found.has(variant.ascii))
        found.set(variant.ascii, { name: variant, kind });
    }
  return [...found.values()];
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

/** The rows of a QWERTY keyboard, each shifted to the right of the one above by less than a key. */
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'].map((row) => [...row]);

const NEIGHBOURS: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.flatMap((keys, row) => keys.map((key, at) => [key, neighboursOf(row, at)] as const)),
);

/** Labels that one slip of the fingers makes of this one: Unicode in, Unicode out, perhaps invalid or repeated. */
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
