import { DomainError } from '../../../kernel/domain-error.js';
import type { SuffixPosition } from './public-suffixes.js';

export type InvalidDomainNameCode =
  | 'domain_malformed'
  | 'domain_is_ip'
  | 'domain_single_label'
  | 'domain_is_public_suffix'
  | 'domain_private_suffix'
  | 'domain_too_long'
  | 'label_too_long'
  | 'not_registrable'
  | 'tld_unsupported';

/** No registry could register the name, or none that is supported. */
export class InvalidDomainNameError extends DomainError {
  constructor(code: InvalidDomainNameCode, message: string, details = {}) {
    super(code, message, { field: 'domain', ...details });
  }

  static fromSuffixPosition(
    ascii: string,
    position: Exclude<SuffixPosition, { kind: 'registrable' }>,
  ): InvalidDomainNameError {
    switch (position.kind) {
      case 'public_suffix':
        return new InvalidDomainNameError(
          'domain_is_public_suffix',
          `This is a public suffix; names are registered below it.`,
        );
      case 'private_suffix':
        return new InvalidDomainNameError(
          'domain_private_suffix',
          `Names here are assigned by a company, not by a registry.`,
        );
      case 'below':
        return new InvalidDomainNameError('not_registrable', `Only ${position.registrable} can be registered.`, {
          registrable_domain: position.registrable,
        });
      case 'unknown_tld':
        return new InvalidDomainNameError('tld_unsupported', `No registry is known for .${ascii.split('.').at(-1)}.`);
    }
  }
}
