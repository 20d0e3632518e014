import { DomainError } from '../../kernel/domain-error.js';

export class AlreadyWatched extends DomainError {
  constructor(domain: string, id: string) {
    super('already_watched', `${domain} is already on the watchlist.`, { id });
  }
}

export class EntryNotFound extends DomainError {
  constructor() {
    super('not_found', 'There is no such watchlist entry.');
  }
}
