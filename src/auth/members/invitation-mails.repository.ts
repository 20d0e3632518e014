import { Injectable } from '@nestjs/common';
import { LeaseConfig } from '../../config/sections.js';
import { formatSecretToken } from '../../platform/crypto/secret-token.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import type { Invitation, StoredInvitation } from '../domain/member.js';
import { InvitationSecrets } from './invitation-secrets.js';

/** $1 now, $2 limit, $3 lease in seconds */
const CLAIM_DUE = {
  name: 'invitations_claim_due_mails',
  text: `
    with due as (
      select i.id from invitations i join accounts a on a.id = i.account_id
      where i.mail = 'waiting' and i.mail_due_at <= $1 and i.expires_at > $1 and i.accepted_at is null
        and (i.mail_lease_token is null or i.mail_lease_until <= now())
        and a.suspended_at is null and a.deletion_started_at is null
      order by i.mail_due_at, i.id limit $2
      for update of i skip locked)
    update invitations i
    set mail_lease_token = gen_random_uuid()::text, mail_lease_until = now() + make_interval(secs => $3)
    from due where i.id = due.id
    returning i.id, i.mail_lease_token as token`,
};

/** Who sends a mail; it is void once the lease was given to another. */
interface Claim {
  readonly id: string;
  readonly token: string;
}

/** An invitation whose link is to be mailed. */
export interface DueInvitation extends Pick<Invitation, 'id' | 'accountId' | 'role' | 'email'> {
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Attempts that failed so far. */
  readonly failures: number;
  /** Until when the limits of a day have it counted; null: it is not. */
  readonly countedUntil: Date | null;
  /** What stands in its link; null: no master key that this process has made it. */
  readonly linkToken: string | null;
}

/** What became of an attempt: `waiting` until the time given. */
export type MailAttempt =
  { readonly mail: 'sent' | 'failed' } | { readonly mail: 'waiting'; readonly dueAt: Date; readonly failures: number };

/** Which links of invitations are to be mailed, and what became of it. Runs in a unit of work; `claimDue` is a statement of its own. */
@Injectable()
export class InvitationMailRepository {
  constructor(
    private readonly statements: SqlClient,
    private readonly config: LeaseConfig,
    private readonly secrets: InvitationSecrets,
  ) {}

  claimDue(now: Date, limit: number): Promise<Claim[]> {
    return this.statements.run<Claim>(CLAIM_DUE, [now, limit, this.config.leaseSeconds]);
  }

  /** The invitation, locked; null when the claim is void or the link is good for nothing any more. */
  async lockClaimed({ id, token }: Claim, now: Date): Promise<DueInvitation | null> {
    const rows = await this.statements.run<StoredRow>(sql`
      select i.id, i.account_id as "accountId", i.role, i.email, i.digest, i.created_at as "createdAt",
        i.expires_at as "expiresAt", i.mail_failures as failures, i.mail_counted_until as "countedUntil"
      from invitations i join accounts a on a.id = i.account_id
      where i.id = ${id} and i.mail_lease_token = ${token} and i.accepted_at is null
        and i.expires_at > ${now.toISOString()}::timestamptz and a.suspended_at is null and a.deletion_started_at is null
      for update of i`);
    const [row] = rows;
    if (!row) return null;
    const { digest, createdAt, expiresAt, countedUntil, ...invitation } = row;
    const found = this.secrets.find(id, digest);
    const linkToken = found && formatSecretToken(found);
    return {
      ...invitation,
      createdAt: new Date(createdAt),
      expiresAt: new Date(expiresAt),
      countedUntil: countedUntil === null ? null : new Date(countedUntil),
      linkToken,
    };
  }

  async noteCounted({ id }: Claim, until: Date): Promise<void> {
    await this.statements.run(
      sql`update invitations set mail_counted_until = ${until.toISOString()}::timestamptz where id = ${id}`,
    );
  }

  /** Notes the outcome and ends the lease. */
  async finish({ id, token }: Claim, attempt: MailAttempt): Promise<void> {
    const [dueAt, failures] = attempt.mail === 'waiting' ? [attempt.dueAt.toISOString(), attempt.failures] : [null, 0];
    await this.statements.run(sql`
      update invitations
      set mail = ${attempt.mail}, mail_due_at = ${dueAt}::timestamptz, mail_failures = ${failures},
        mail_lease_token = null, mail_lease_until = null
      where id = ${id} and mail_lease_token = ${token}`);
  }
}

type StoredRow = Omit<DueInvitation, 'createdAt' | 'expiresAt' | 'countedUntil' | 'linkToken'> &
  Pick<StoredInvitation, 'digest'> & {
    readonly createdAt: string;
    readonly expiresAt: string;
    readonly countedUntil: string | null;
  };
