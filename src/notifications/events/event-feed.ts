import type { TransactionCursor } from '../../kernel/paging/transaction-cursor.js';

/** An event and the cursor after it. */
export interface FeedItem {
  readonly cursor: TransactionCursor;
  readonly type: string;
  /** The same bytes as in a webhook. */
  readonly body: string;
}

export interface FeedFilter {
  readonly type?: string | undefined;
  readonly entryId?: string | undefined;
}

export interface FeedRequest extends FeedFilter {
  readonly accountId: string;
  readonly after: TransactionCursor;
  readonly limit: number;
}

/**
 * The events of an account in a stable order: an event is visible once no running transaction can insert one before it.
 */
export abstract class EventFeed {
  abstract after(request: FeedRequest): Promise<FeedItem[]>;
  /** Before the account's oldest stored event. */
  abstract start(accountId: string): Promise<TransactionCursor>;
  /** After the account's latest visible event: it does not move when others write. */
  abstract end(accountId: string): Promise<TransactionCursor>;
  /** Whether events after this cursor were purged. */
  abstract isExpired(accountId: string, cursor: TransactionCursor): Promise<boolean>;
}
