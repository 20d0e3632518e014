import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql } from '../../platform/database/sql.js';
import type { SecretToken } from '../../platform/crypto/secret-token.js';
import { MAX_SESSIONS_PER_OWNER, type Session, type SessionOwner, type StoredSession } from '../domain/session.js';

/**
 * Finds the session `$1` and its account. For a person, this is the account `$2`, or the account that the person joined
 * first if `$2` is null.
 */
const STORED = {
  name: 'session_stored',
  text: `select s.id, s.digest, s.used_at as "usedAt", s.ends_at as "endsAt",
                not exists (select from members o where o.person_id = s.person_id
                              and o.account_id is distinct from s.sole_account_id) as "hasSoleAccount",
                case when a.id is not null then
                  json_build_object('id', a.id, 'plan', a.plan, 'isSuspended', a.suspended_at is not null) end as account,
                case when p.id is not null then
                  json_build_object('id', p.id, 'name', p.name, 'email', p.email, 'role', m.role) end as person,
                k.id as "keyId", k.scopes, k.expires_at as "expiresAt", k.revoked_at as "revokedAt"
         from sessions s
         left join api_keys k on k.id = s.key_id
         left join people p on p.id = s.person_id
         left join lateral (
           select account_id, role from members
           where person_id = s.person_id and ($2::text is null or account_id = $2) order by added_at, account_id limit 1
         ) m on true
         left join accounts a on a.id = coalesce(k.account_id, m.account_id)
         where s.id = $1`,
};

const PAGE = {
  name: 'sessions_of_owner',
  text: `select id, created_at as "createdAt", used_at as "usedAt", ends_at as "endsAt", address, user_agent as "userAgent"
         from sessions where coalesce(person_id, key_id) = $1 order by created_at desc limit ${MAX_SESSIONS_PER_OWNER}`,
};

const DELETE_ENDED = {
  name: 'sessions_delete_ended',
  text: 'delete from sessions where ends_at <= $1 or used_at <= $2',
};

const RECORD_USE = {
  name: 'session_record_use',
  text: 'update sessions set used_at = greatest(used_at, $2) where id = $1',
};

type StoredRow = Omit<StoredSession, 'key'> & { readonly keyId: string | null } & Omit<
    NonNullable<StoredSession['key']>,
    'id'
  >;

@Injectable()
export class SessionRepository {
  constructor(private readonly sqlClient: SqlClient) {}

  /** Must be called inside a unit of work. */
  async insert(session: Session, digest: string, owner: SessionOwner) {
    const { id, createdAt, endsAt, address, userAgent } = session;
    const { keyId = null, personId = null } = owner;
    await this.sqlClient.run(sql`
      insert into sessions
        (id, digest, key_id, person_id, created_at, used_at, ends_at, address, user_agent, sole_account_id)
      select ${id}, ${digest}, ${keyId}, ${personId}, ${createdAt.toISOString()}::timestamptz,
        ${createdAt.toISOString()}::timestamptz, ${endsAt.toISOString()}::timestamptz, ${address}, ${userAgent},
        (select min(account_id) from members where person_id = ${personId} having count(*) = 1)`);
    await this.sqlClient.run(sql`
      delete from sessions where id = any(array(
        select id from sessions where coalesce(person_id, key_id) = ${personId ?? keyId}
        order by created_at desc, id desc offset ${MAX_SESSIONS_PER_OWNER}))`);
  }

  /** @param accountId the requested account; null for the account that the person joined first */
  async findStored(id: string, accountId: string | null): Promise<StoredSession | null> {
    const [row] = await this.sqlClient.run<StoredRow>(STORED, [id, accountId]);
    if (!row) return null;
    const { keyId, scopes, expiresAt, revokedAt, ...stored } = row;
    return { ...stored, key: keyId === null ? null : { id: keyId, scopes, expiresAt, revokedAt } };
  }

  /** Lists the owner's sessions, newest first. */
  list(ownerId: string): Promise<Session[]> {
    return this.sqlClient.run<Session>(PAGE, [ownerId]);
  }

  /**
   * Deletes a session. Must be called inside a unit of work.
   * @returns whether the owner had this session
   */
  async delete(id: string, ownerId: string): Promise<boolean> {
    const rows = await this.sqlClient.run(sql`
      delete from sessions where id = ${id} and coalesce(person_id, key_id) = ${ownerId} returning id`);
    return rows.length > 0;
  }

  /** Deletes the session with this secret, whoever owns it. Must be called inside a unit of work. */
  async deleteProven({ id }: SecretToken, digest: string): Promise<void> {
    await this.sqlClient.run(sql`delete from sessions where id = ${id} and digest = ${digest}`);
  }

  /**
   * Deletes the owner's sessions, except `keptId`. Must be called inside a unit of work.
   * @returns how many were deleted
   */
  async deleteAll(ownerId: string, keptId: string | null): Promise<number> {
    const rows = await this.sqlClient.run(sql`
      delete from sessions where coalesce(person_id, key_id) = ${ownerId} and id is distinct from ${keptId}
      returning id`);
    return rows.length;
  }

  async deleteEnded(now: Date, unusedSince: Date): Promise<void> {
    await this.sqlClient.run(DELETE_ENDED, [now, unusedSince]);
  }

  async recordUse(id: string, at: Date): Promise<void> {
    await this.sqlClient.run(RECORD_USE, [id, at]);
  }
}
