import { type RawBuilder, sql } from 'kysely';
import type { DigestKind } from '../domain/digests/digest-sender.js';
import { claimDue } from '../claim-due.sql.js';
import { CLAIM_CHAT_DIGESTS } from './claim-chat-digests.sql.js';

export interface DigestTable {
  readonly table: RawBuilder<unknown>;
  /** Those that `notification_channels` has too, `channel_id` being its id. */
  readonly channelColumns: RawBuilder<unknown>;
  /** In one message. */
  readonly maxEvents: number;
  readonly claimDue: { readonly name: string; readonly text: string };
}

export const DIGEST_TABLES: Readonly<Record<DigestKind, DigestTable>> = {
  mail: {
    table: sql`mail_digests`,
    channelColumns: sql`channel_id`,
    maxEvents: 1_000, // relays reject larger mails
    claimDue: claimDue('mail_digests', 'due_at'),
  },
  chat: {
    table: sql`chat_digests`,
    channelColumns: sql`channel_id, account_id, host`,
    maxEvents: 10_000, // it lists the first and counts the rest; they are read into memory
    claimDue: CLAIM_CHAT_DIGESTS,
  },
};
