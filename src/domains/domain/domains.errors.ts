import { DomainError } from '../../kernel/domain-error.js';
import type { NameStanding } from './domain-name.js';

export type NameRefusal =
  | 'domain_malformed'
  | 'domain_is_ip'
  | 'domain_single_label'
  | 'domain_is_public_suffix'
  | 'domain_private_suffix'
  | 'domain_too_long'
  | 'label_too_long'
  | 'not_registrable'
  | 'tld_unsupported';

/** The name is well-formed JSON but no registry could ever register it, or none that we can ask. */
export class NameRefused extends DomainError {
  constructor(code: NameRefusal, message: string, details = {}) {
    super(code, message, { field: 'domain', ...details });
  }

  static standing(ascii: string, standing: Exclude<NameStanding, { kind: 'registrable' }>): NameRefused {
    switch (standing.kind) {
      case 'public_suffix':
        return new NameRefused('domain_is_public_suffix', `This is a public suffix; names are registered below it.`);
      case 'private_suffix':
        return new NameRefused('domain_private_suffix', `Names here are given out by a company, not by a registry.`);
      case 'below':
        return new NameRefused('not_registrable', `Only ${standing.registrable} can be registered.`, {
          registrable_domain: standing.registrable,
        });
      case 'unknown_tld':
        return new NameRefused('tld_unsupported', `No registry is known that answers for .${ascii.split('.').at(-1)}.`);
    }
  }
}
