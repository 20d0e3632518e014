import { DomainError } from '../../../kernel/domain-error.js';

/** Where a channel's notifications go. */
export interface Target {
  /** As the account wrote it, trimmed; this is what the API answers. */
  readonly asSent: string;
  /** The one spelling of it, for uniqueness and for sending. */
  readonly canonical: string;
  /** Where attempts connect to, whose places its receivers share; left out when it is one for all of the type. */
  readonly host?: string;
}

/** The target is no address, or no HTTPS URL. */
export class TargetInvalid extends DomainError {
  constructor(message: string) {
    super('target_invalid', message, { field: 'target' });
  }
}

/** The target is well-formed, but nothing may be sent there. */
export class TargetNotAllowed extends DomainError {
  constructor(message: string) {
    super('target_not_allowed', message, { field: 'target' });
  }
}
