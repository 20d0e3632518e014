import { DomainError } from '../../../kernel/domain-error.js';

/** Where a channel's notifications go. */
export interface Target {
  /** As the account wrote it, trimmed; the API shows this form. */
  readonly asSent: string;
  /** Normalized, for uniqueness and for sending. */
  readonly canonical: string;
  /**
   * The host that attempts connect to, for its concurrency limit; without one, all channels of the type share a limit.
   */
  readonly host?: string;
  /** For secret targets: what answers show, without the secret. By default the host. */
  readonly masked?: string;
}

/** What answers show of a secret target. */
export function maskTarget({ masked, host }: Target): string {
  return masked ?? (host === undefined ? '…' : `${host}/…`);
}

/** The target is not one that this type of channel could send to. */
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
