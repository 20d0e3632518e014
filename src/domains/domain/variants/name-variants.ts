import { DomainName } from '../name/domain-name.js';
import { InvalidDomainNameError } from '../name/domain-name.errors.js';
import type { PublicSuffixes } from '../name/public-suffixes.js';
import { homoglyphsOf } from './homoglyphs.js';
import { typosOf } from './typos.js';

export const VARIANT_KINDS = ['typo', 'homoglyph', 'tld'] as const;
export type VariantKind = (typeof VARIANT_KINDS)[number];

export interface NameVariant {
  readonly name: DomainName;
  readonly kind: VariantKind;
}

export interface VariantRules {
  /** In the order of the results. */
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
