import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';
import type { PageRequest } from '../domain/account.js';
import type { Belonging, Invitation, Member, Membership, StoredInvitation } from '../domain/member.js';
import type { ProvenPerson } from '../domain/proven-person.js';
import type { Role } from '../domain/scope.js';

const MEMBERS_PAGE = {
  name: 'members_page',
  text: `select m.person_id as "personId", p.name, p.email, m.role, m.added_by as "addedBy", m.added_at as "addedAt",
                p.signed_in_at as "signedInAt"
         from members m join people p on p.id = m.person_id
         where m.account_id = $1 order by m.added_at, m.person_id limit $2 offset $3`,
};
const MEMBERS_COUNT = {
  name: 'members_count',
  text: 'select count(*)::int as total from members where account_id = $1',
};

const MEMBERSHIPS = {
  name: 'memberships_of_person',
  text: `select a.id, a.name, m.role from members m join accounts a on a.id = m.account_id
         where m.person_id = $1 order by m.added_at, a.id limit 1000`,
};

const OPEN_INVITATIONS = {
  name: 'invitations_open',
  text: `select i.id, i.account_id as "accountId", i.email, i.role, i.invited_by as "invitedBy",
                i.created_at as "createdAt", i.expires_at as "expiresAt", coalesce(m.state, 'none') as mail
         from invitations i left join mail_outbox m on m.id = i.id
         where i.account_id = $1 and i.accepted_at is null and i.expires_at > $2 order by i.created_at, i.id`,
};

const DELETE_ENDED_INVITATIONS = {
  name: 'invitations_delete_ended',
  text: 'delete from invitations where expires_at <= $1',
};

/** Deletes people without an account. A new person is safe, because one transaction adds person and membership. */
const DELETE_STRANGERS = {
  name: 'people_delete_strangers',
  text: 'delete from people p where not exists (select from members m where m.person_id = p.id)',
};

const SELECT_INVITATION = sqlText(`
      select id, account_id as "accountId", role, email, digest, invited_by as "invitedBy", created_at as "createdAt",
        expires_at as "expiresAt", accepted_at as "acceptedAt"
      from invitations`);

/** Stores people, their memberships and invitations. Methods that write must be called inside a unit of work. */
@Injectable()
export class MemberRepository {
  constructor(private readonly sqlClient: SqlClient) {}

  async page(accountId: string, { page, perPage }: PageRequest): Promise<{ members: Member[]; total: number }> {
    const [members, [counted]] = await Promise.all([
      this.sqlClient.run<Member>(MEMBERS_PAGE, [accountId, perPage, (page - 1) * perPage]),
      this.sqlClient.run<{ total: number }>(MEMBERS_COUNT, [accountId]),
    ]);
    return { members, total: counted?.total ?? 0 };
  }

  accountsOf(personId: string): Promise<Membership[]> {
    return this.sqlClient.run<Membership>(MEMBERSHIPS, [personId]);
  }

  openInvitations(accountId: string, now: Date): Promise<Invitation[]> {
    return this.sqlClient.run<Invitation>(OPEN_INVITATIONS, [accountId, now]);
  }

  async purge(now: Date): Promise<void> {
    await this.sqlClient.run(DELETE_ENDED_INVITATIONS, [now]);
    await this.sqlClient.run(DELETE_STRANGERS);
  }

  /** Adds or updates a person, found by issuer and subject and never by email address. @returns the id */
  async putPerson(id: string, { issuer, subject, name, email }: ProvenPerson, now: Date): Promise<string> {
    const at = now.toISOString();
    const rows = await this.sqlClient.run<{ id: string }>(sql`
      insert into people as p (id, issuer, subject, name, email, created_at, signed_in_at)
      values (${id}, ${issuer}, ${subject}, ${name}, ${email}, ${at}::timestamptz, ${at}::timestamptz)
      on conflict (issuer, subject)
      do update set name = excluded.name, email = excluded.email, signed_in_at = excluded.signed_in_at
      returning p.id`);
    return rows[0]?.id ?? id;
  }

  /** Deletes the person, unless they are a member of an account. The person's sessions are deleted with the row. */
  async deleteStranger(id: string): Promise<void> {
    await this.sqlClient.run(sql`
      delete from people p where id = ${id} and not exists (select from members m where m.person_id = p.id)`);
  }

  /** Locks the members of an account. Other changes to them wait until the unit of work ends. */
  async lock(accountId: string): Promise<void> {
    await this.sqlClient.run(sql`select pg_advisory_xact_lock(hashtextextended(${`members of ${accountId}`}, 0))`);
  }

  async admins(accountId: string): Promise<string[]> {
    const rows = await this.sqlClient.run<{ id: string }>(sql`
      select person_id as id from members where account_id = ${accountId} and role = 'admin' limit 2`);
    return rows.map(({ id }) => id);
  }

  async put(accountId: string, personId: string, belonging: Belonging, now: Date): Promise<void> {
    const { role, addedBy, invitedRole } = belonging;
    await this.sqlClient.run(sql`
      insert into members (account_id, person_id, role, added_by, invited_role, added_at)
      select id, ${personId}, ${role}, ${addedBy}, ${invitedRole}, ${now}
      from accounts where id = ${accountId}
      on conflict (person_id, account_id) do update
      set role = excluded.role, added_by = excluded.added_by, invited_role = excluded.invited_role`);
  }

  async changeRole(accountId: string, personId: string, role: Role): Promise<void> {
    await this.sqlClient.run(sql`
      update members set role = ${role}, invited_role = null,
        added_by = case when invited_role is null then added_by else 'invitation' end
      where account_id = ${accountId} and person_id = ${personId}`);
  }

  async remove(accountId: string, personId: string): Promise<void> {
    await this.sqlClient.run(sql`
      delete from members where account_id = ${accountId} and person_id = ${personId}`);
  }

  /** Returns the person's memberships by account id. The account that the person joined first comes first. */
  async belongings(personId: string): Promise<ReadonlyMap<string, Belonging>> {
    const rows = await this.sqlClient.run<Belonging & { id: string }>(sql`
      select account_id as id, role, added_by as "addedBy", invited_role as "invitedRole"
      from members where person_id = ${personId} order by added_at, account_id`);
    return new Map(rows.map(({ id, ...belonging }) => [id, belonging]));
  }

  async existing(accountIds: readonly string[]): Promise<string[]> {
    const rows = await this.sqlClient.run<{ id: string }>(sql`
      select id from accounts where id = any(${[...accountIds]}::text[])`);
    return rows.map(({ id }) => id);
  }

  async insertInvitation(invitation: Omit<Invitation, 'mail'>, digest: string): Promise<void> {
    const { id, accountId, role, email, invitedBy, createdAt, expiresAt } = invitation;
    await this.sqlClient.run(sql`
      insert into invitations (id, account_id, role, email, digest, invited_by, created_at, expires_at)
      values (${id}, ${accountId}, ${role}, ${email}, ${digest}, ${invitedBy}, ${createdAt}, ${expiresAt})`);
  }

  /** Locks an invitation, so that it is accepted once. Returns null if its account is suspended or being deleted. */
  async lockInvitation(id: string): Promise<StoredInvitation | null> {
    const [invitation] = await this.sqlClient.run<StoredInvitation>(sql`
      ${SELECT_INVITATION} where id = ${id} and exists (
        select from accounts a where a.id = account_id and a.suspended_at is null and a.deletion_started_at is null)
      for update`);
    return invitation ?? null;
  }

  async markAccepted(id: string, now: Date): Promise<void> {
    await this.sqlClient.run(sql`
      update invitations set accepted_at = ${now} where id = ${id}`);
  }

  async findOpenInvitation(id: string): Promise<StoredInvitation | null> {
    const [invitation] = await this.sqlClient.run<StoredInvitation>(sql`
      ${SELECT_INVITATION} where id = ${id} and accepted_at is null`);
    return invitation ?? null;
  }

  /** @returns false if the account has no open invitation of this id */
  async deleteInvitation(id: string, accountId: string, now: Date): Promise<boolean> {
    const rows = await this.sqlClient.run(sql`
      delete from invitations
      where id = ${id} and account_id = ${accountId} and accepted_at is null and expires_at > ${now} returning id`);
    return rows.length > 0;
  }
}
