import { DomainError } from '../domain-error.js';

export class CursorMalformed extends DomainError {
  constructor(field: string) {
    super('invalid_request', 'This cursor is not from this service.', { field });
  }
}

/**
 * A position just after one event or audit record. Positions are ordered by transaction number. A transaction gets its
 * number at its first write, so a lower number may be committed later. The API shows the cursor in encrypted form.
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
