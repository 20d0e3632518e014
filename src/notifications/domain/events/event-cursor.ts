import { DomainError } from '../../../kernel/domain-error.js';

/** What a reader got from us to go on from is not what it sent. */
export class CursorMalformed extends DomainError {
  constructor(field: string) {
    super('invalid_request', 'This is no cursor of ours.', { field });
  }
}

/** Events after this cursor are no longer kept. */
export class CursorExpired extends DomainError {
  constructor() {
    super('cursor_expired', 'Events that follow this cursor are no longer kept. Begin anew, without a cursor.');
  }
}

const POSITION = /^(0|[1-9]\d{0,19})\.(0|[1-9]\d{0,18})$/;
/** PostgreSQL's xid8 is unsigned, its bigint is not. */
const MAX_XID = 2n ** 64n - 1n;
const MAX_SEQ = 2n ** 63n - 1n;

/** A place in the order of an account's events: behind the one of this transaction and this number. */
export class EventCursor {
  private constructor(
    readonly xid: string,
    readonly seq: string,
  ) {}

  static at(xid: string, seq: string): EventCursor {
    return new EventCursor(xid, seq);
  }

  /** @throws CursorMalformed for anything that `text` did not make */
  static parse(text: string, field: string): EventCursor {
    const position = Buffer.from(text, 'base64url').toString('latin1');
    const [, xid, seq] = POSITION.exec(position) ?? [];
    if (xid === undefined || seq === undefined) throw new CursorMalformed(field);
    const cursor = new EventCursor(xid, seq);
    const inBounds = BigInt(xid) <= MAX_XID && BigInt(seq) <= MAX_SEQ;
    if (!inBounds || cursor.text !== text) throw new CursorMalformed(field);
    return cursor;
  }

  static later(one: EventCursor, other: EventCursor): EventCursor {
    const [here, there] = [BigInt(one.xid), BigInt(other.xid)];
    const isBefore = here < there || (here === there && BigInt(one.seq) < BigInt(other.seq));
    return isBefore ? other : one;
  }

  /** Opaque to readers. */
  get text(): string {
    return Buffer.from(`${this.xid}.${this.seq}`).toString('base64url');
  }
}
