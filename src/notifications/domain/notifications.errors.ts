import { DomainError } from '../../kernel/domain-error.js';

/** No sender serves this type of channel. */
export class ChannelTypeUnknown extends DomainError {
  constructor(known: readonly string[]) {
    super('invalid_request', `type must be one of ${known.join(', ')}`, { field: 'type', allowed_values: known });
  }
}

/** The account has a channel for this target already. */
export class AlreadyNotified extends DomainError {
  constructor(id: string) {
    super('already_notified', 'A channel for this target exists.', { id });
  }
}
