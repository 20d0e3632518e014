import { DomainError } from '../domain-error.js';

export class CursorMalformed extends DomainError {
  constructor(field: string) {
    super('invalid_request', 'This cursor is not from this service.', { field });
  }
}

/**
 * A position after one event or audit record, by transaction number. Readers stop before running transactions, because
 * these may commit rows with lower numbers later.
 */
export class TransactionCursor {
  /** The position before everything. */
  static readonly START = new TransactionCursor('0', '0');

  private constructor(
    readonly xid: string,
    readonly seq: string,
  ) {}

  static at(xid: string, seq: string): TransactionCursor {
    return new TransactionCursor(xid, seq);
  }

  static later(one: TransactionCursor, other: TransactionCursor): TransactionCursor {
    const [here, there] = [BigInt(one.xid), BigInt(other.xid)];
    const isBefore = here < there || (here === there && BigInt(one.seq) < BigInt(other.seq));
    return isBefore ? other : one;
  }
}
