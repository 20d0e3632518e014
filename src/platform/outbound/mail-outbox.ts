import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { SqlClient } from '../database/sql-client.js';
import { sql } from '../database/sql.js';

/** The kinds of mail that are not notifications of events. */
export type MailKind = 'confirmation' | 'invitation';

/** The state `failed` means that the mail is not sent any more. */
export type MailState = 'waiting' | 'sent' | 'failed';

export interface NewMail {
  /** All attempts to send the mail use this id. */
  readonly id: string;
  readonly kind: MailKind;
  readonly accountId: string;
  /** The id of the notification channel or invitation that the mail is about. */
  readonly subjectId: string;
  readonly createdAt: Date;
  /** When the link in the mail expires. After this time, the mail is not sent. */
  readonly expiresAt: Date;
}

export interface WaitingMail extends NewMail {
  /** When the mail last counted towards the sending limits, or null if it never did. */
  readonly countedAt: Date | null;
  readonly failures: number;
}

/** A time-limited lock (lease) on a mail. Only the process with this token may send the mail. */
export interface MailClaim {
  readonly id: string;
  readonly token: string;
}

/** A mail that counted towards the sending limits. */
export interface CountedMail {
  readonly at: Date;
  readonly isOfAccount: boolean;
  readonly isToMailbox: boolean;
}

/** Locks mails that are due. Parameters: $1 kinds, $2 now, $3 limit, $4 duration of the lock (lease) in seconds. */
const CLAIM_DUE = {
  name: 'mail_outbox_claim_due',
  text: `
    with due as (
      select m.id from mail_outbox m join accounts a on a.id = m.account_id
      where m.state = 'waiting' and m.kind = any($1) and m.due_at <= $2 and m.expires_at > $2
        and (m.lease_token is null or m.lease_until <= now())
        and a.suspended_at is null and a.deletion_started_at is null
      order by m.due_at, m.created_at limit $3
      for update of m skip locked)
    update mail_outbox m
    set lease_token = gen_random_uuid()::text, lease_until = now() + make_interval(secs => $4)
    from due where m.id = due.id
    returning m.id, m.lease_token as token`,
};
const PURGE = { name: 'mail_outbox_purge', text: `delete from mail_outbox where expires_at < $1` };

/**
 * Stores mails that wait to be sent, or that count towards limits. Needs a transaction, except for `claimDue` and
 * `purge`.
 */
@Injectable()
export class MailOutbox {
  constructor(
    private readonly sqlClient: SqlClient,
    private readonly config: LeaseConfig,
  ) {}

  /** Adds a mail, unless an unexpired mail already waits for the same channel or invitation. */
  async add({ id, kind, accountId, subjectId, createdAt, expiresAt }: NewMail): Promise<void> {
    await this.sqlClient.run(sql`
      insert into mail_outbox as m (id, kind, account_id, subject_id, created_at, expires_at, due_at)
      values (${id}, ${kind}, ${accountId}, ${subjectId}, ${createdAt}, ${expiresAt}, ${createdAt})
      on conflict (subject_id) where state = 'waiting' do update
      set created_at = excluded.created_at, expires_at = excluded.expires_at, due_at = excluded.due_at, failures = 0
      where m.expires_at <= excluded.created_at`);
  }

  /** Locks due mails for a limited time (lease). */
  claimDue(kinds: readonly MailKind[], now: Date, limit: number): Promise<MailClaim[]> {
    return this.sqlClient.run<MailClaim>(CLAIM_DUE, [kinds, now, limit, this.config.leaseSeconds]);
  }

  /** Locks the mail's row. Returns null if the token is no longer valid, or the mail must not be sent. */
  async lockClaimed({ id, token }: MailClaim, now: Date): Promise<WaitingMail | null> {
    const rows = await this.sqlClient.run<WaitingMail>(sql`
      select m.id, m.kind, m.account_id as "accountId", m.subject_id as "subjectId", m.created_at as "createdAt",
        m.expires_at as "expiresAt", m.counted_at as "countedAt", m.failures
      from mail_outbox m join accounts a on a.id = m.account_id
      where m.id = ${id} and m.lease_token = ${token} and m.state = 'waiting' and m.expires_at > ${now}
        and a.suspended_at is null and a.deletion_started_at is null
      for update of m`);
    return rows[0] ?? null;
  }

  /**
   * Returns the mails of this kind, from this account or to this mailbox, that counted after `since`. Locks the account
   * and the mailbox until the transaction ends, so that mails are counted one after another.
   */
  async lockCounted({ kind, accountId }: NewMail, mailbox: string, since: Date): Promise<CountedMail[]> {
    for (const one of [accountId, mailbox])
      await this.sqlClient.run(sql`select pg_advisory_xact_lock(hashtextextended(${`mails of ${one}`}, 0))`);
    return this.sqlClient.run<CountedMail>(sql`
      select counted_at as at, account_id is not distinct from ${accountId} as "isOfAccount",
        mailbox = ${mailbox} as "isToMailbox"
      from mail_outbox
      where kind = ${kind} and counted_at > ${since} and (account_id = ${accountId} or mailbox = ${mailbox})`);
  }

  async count({ id }: MailClaim, mailbox: string, now: Date): Promise<void> {
    await this.sqlClient.run(sql`update mail_outbox set mailbox = ${mailbox}, counted_at = ${now} where id = ${id}`);
  }

  /** Sets a later due time for the mail, and ends the lock (lease). */
  async postpone({ id, token }: MailClaim, dueAt: Date, { failures, expiresAt }: WaitingMail): Promise<void> {
    await this.sqlClient.run(sql`
      update mail_outbox
      set due_at = ${dueAt}, failures = ${failures}, expires_at = ${expiresAt}, lease_token = null, lease_until = null
      where id = ${id} and lease_token = ${token}`);
  }

  /** Sets the final state of the mail, and ends the lock (lease). */
  async finish({ id, token }: MailClaim, state: Exclude<MailState, 'waiting'>): Promise<void> {
    await this.sqlClient.run(sql`
      update mail_outbox set state = ${state}, lease_token = null, lease_until = null
      where id = ${id} and lease_token = ${token}`);
  }

  /**
   * Cancels the waiting mails of these channels or invitations. Links in mails that were already sent become invalid.
   */
  async end(subjectIds: readonly string[], now: Date): Promise<void> {
    await this.sqlClient.run(sql`
      update mail_outbox
      set state = case state when 'waiting' then 'failed' else state end, expires_at = least(expires_at, ${now})
      where subject_id = any(${[...subjectIds]})`);
  }

  /** Returns the id of a mail's channel or invitation, which may no longer exist, and when the mail's link expires. */
  async find(id: string): Promise<Pick<NewMail, 'subjectId' | 'expiresAt'> | null> {
    const rows = await this.sqlClient.run<Pick<NewMail, 'subjectId' | 'expiresAt'>>(sql`
      select subject_id as "subjectId", expires_at as "expiresAt" from mail_outbox where id = ${id}`);
    return rows[0] ?? null;
  }

  /** Deletes mails whose links expired before this time. */
  async purge(before: Date): Promise<void> {
    await this.sqlClient.run(PURGE, [before]);
  }
}
