import { DomainError } from '../../kernel/domain-error.js';

export class ChannelTypeUnknown extends DomainError {
  constructor(known: readonly string[]) {
    super('invalid_request', `type must be one of ${known.join(', ')}`, { field: 'type', allowed_values: known });
  }
}

export class FormatNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} have no format.`, { field: 'format' });
  }
}

export class ChannelAlreadyExists extends DomainError {
  constructor(id: string) {
    super('already_notified', 'A channel for this target exists.', { id });
  }
}

export class ChannelLabelTaken extends DomainError {
  constructor(id: string) {
    super('label_taken', 'Another channel of the account has this label.', { id });
  }
}

export class ChannelNotFound extends DomainError {
  constructor() {
    super('not_found', 'Your account has no channel with this id.');
  }
}

export class HeadersNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} take no headers.`, { field: 'headers' });
  }
}

export class SecretNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} have no secret.`);
  }
}

export class CredentialNotSupported extends DomainError {
  constructor(type: string) {
    super('invalid_request', `Channels of type ${type} take no credential.`, { field: 'credential' });
  }
}

/** The credential is missing or malformed. The message must not contain the credential. */
export class CredentialInvalid extends DomainError {
  constructor(message: string) {
    super('invalid_request', message, { field: 'credential' });
  }
}

export class DeliveryNotFound extends DomainError {
  constructor() {
    super('not_found', 'Your account has no delivery with this id.');
  }
}

/** No entry of the account has, or had, this id. */
export class WatchedEntryNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is no such watchlist entry.');
  }
}

export class DeliveryPending extends DomainError {
  constructor() {
    super('delivery_pending', 'This delivery is still pending.');
  }
}

export class RangeNotAllowed extends DomainError {
  constructor(message: string) {
    super('invalid_request', message, { field: 'to' });
  }
}

/** The token of a link was cut, changed or made up. */
export class LinkNotValid extends DomainError {
  constructor() {
    super('not_found', 'This link is not complete, or not from this service.');
  }
}

export class LinkExpired extends DomainError {
  constructor() {
    super('link_expired', 'This link was used, or is too old. The account can send another one.');
  }
}

export class ChannelUnconfirmed extends DomainError {
  constructor() {
    super('channel_unconfirmed', 'The address must confirm first. It gets a confirmation mail, at most three a day.');
  }
}

export class CursorExpired extends DomainError {
  constructor() {
    super('cursor_expired', 'Events that follow this cursor are no longer kept. Start again without a cursor.');
  }
}
