/** Where a well-formed name stands relative to the public suffixes. */
export type SuffixPosition =
  | { readonly kind: 'registrable' }
  | { readonly kind: 'public_suffix' }
  | { readonly kind: 'private_suffix' }
  | { readonly kind: 'below'; readonly registrable: string }
  | { readonly kind: 'unknown_tld' };

/** The public suffixes that this service knows, as a port. */
export abstract class PublicSuffixes {
  abstract classify(ascii: string): SuffixPosition;
}
