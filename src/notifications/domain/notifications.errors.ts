import { DomainError } from '../../kernel/domain-error.js';

/** No sender serves this type of channel. */
export class ChannelTypeUnknown extends DomainError {
  constructor(known: readonly string[]) {
    super('invalid_request', `type must be one of ${known.join(', ')}`, { field: 'type', allowed_values: known });
  }
}

/** The account has a channel for this target already. */
export class ChannelAlreadyExists extends DomainError {
  constructor(id: string) {
    super('already_notified', 'A channel for this target exists.', { id });
  }
}

/** No such channel in this account, whoever else may have one. */
export class ChannelNotFound extends DomainError {
  constructor() {
    super('not_found', 'Your account has no channel with this id.');
  }
}

/** This type of channel sends nothing that could carry headers. */
export class HeadersNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} take no headers.`, { field: 'headers' });
  }
}

/** Receivers of this type of channel check no signature. */
export class SecretNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} have no secret.`);
  }
}

/** No such delivery in this account. */
export class DeliveryNotFound extends DomainError {
  constructor() {
    super('not_found', 'Your account has no delivery with this id.');
  }
}

/** It is on its way already. */
export class DeliveryPending extends DomainError {
  constructor() {
    super('delivery_pending', 'This delivery is still pending.');
  }
}

/** A range of time that is none, or too much to send again at once. */
export class RangeNotAllowed extends DomainError {
  constructor(message: string) {
    super('invalid_request', message, { field: 'to' });
  }
}

/** A link of a mail that was cut, changed or made up. */
export class LinkNotValid extends DomainError {
  constructor() {
    super('not_found', 'This link is not complete, or none of ours.');
  }
}

/** A link of a mail that was good once. */
export class LinkExpired extends DomainError {
  constructor() {
    super('link_expired', 'This link was used, or is too old. The account can send another one.');
  }
}

/** The address has not confirmed that it wants mail. */
export class ChannelUnconfirmed extends DomainError {
  constructor() {
    super('channel_unconfirmed', 'The address has to confirm first. A mail asks it to, at most three times a day.');
  }
}
