import { DomainError } from '../domain-error.js';

export class CursorMalformed extends DomainError {
  constructor(field: string) {
    super('invalid_request', 'This cursor is not from this service.', { field });
  }
}

const POSITION = /^(0|[1-9]\d{0,19})\.(0|[1-9]\d{0,18})$/;
/** PostgreSQL's xid8 is unsigned, its bigint signed. */
const MAX_XID = 2n ** 64n - 1n;
const MAX_SEQ = 2n ** 63n - 1n;

/**
 * A position in the order of transaction numbers, which are given when a transaction first writes, not when it is
 * committed: after the event or record of this transaction with this sequence number.
 */
export class TransactionCursor {
  private constructor(
    readonly xid: string,
    readonly seq: string,
  ) {}

  static at(xid: string, seq: string): TransactionCursor {
    return new TransactionCursor(xid, seq);
  }

  /** @throws CursorMalformed */
  static parse(text: string, field: string): TransactionCursor {
    const position = Buffer.from(text, 'base64url').toString('latin1');
    const [, xid, seq] = POSITION.exec(position) ?? [];
    if (xid === undefined || seq === undefined) throw new CursorMalformed(field);
    const cursor = new TransactionCursor(xid, seq);
    const inBounds = BigInt(xid) <= MAX_XID && BigInt(seq) <= MAX_SEQ;
    if (!inBounds || cursor.text !== text) throw new CursorMalformed(field);
    return cursor;
  }

  static later(one: TransactionCursor, other: TransactionCursor): TransactionCursor {
    const [here, there] = [BigInt(one.xid), BigInt(other.xid)];
    const isBefore = here < there || (here === there && BigInt(one.seq) < BigInt(other.seq));
    return isBefore ? other : one;
  }

  /** Opaque to readers. */
  get text(): string {
    return Buffer.from(`${this.xid}.${this.seq}`).toString('base64url');
  }
}
