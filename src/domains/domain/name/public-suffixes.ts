/** How a well-formed name relates to the public suffixes. */
export type SuffixPosition =
  | { readonly kind: 'registrable' }
  | { readonly kind: 'public_suffix' }
  | { readonly kind: 'private_suffix' }
  | { readonly kind: 'below'; readonly registrable: string }
  | { readonly kind: 'unknown_tld' };

/** The public suffixes of the supported registries, as a port of {@link DomainName.parse}. */
export abstract class PublicSuffixes {
  abstract classify(ascii: string): SuffixPosition;
}
