import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { sql, sqlText } from '../../platform/database/sql.js';

export type AddressKind = 'calendar' | 'client_page';

/** A URL with a secret, which opens without an API key. The database stores only a digest of the secret. */
export interface SecretAddress {
  readonly id: string;
  readonly accountId: string;
  readonly title: string | null;
  /** Only domain names with all these tags are shown at the URL. */
  readonly tags: readonly string[];
  readonly createdAt: Date;
  /** When the URL expires. With null, the URL works until it is revoked. */
  readonly expiresAt: Date | null;
  /** How often the URL was opened. Several times within a minute count once. */
  readonly opened: number;
  readonly lastUsedAt: Date | null;
}

interface NewAddress extends Pick<SecretAddress, 'id' | 'accountId' | 'title' | 'tags' | 'createdAt' | 'expiresAt'> {
  readonly kind: AddressKind;
  readonly digest: string;
}

const COLUMNS = `a.id, a.account_id as "accountId", a.title, a.tags, a.created_at as "createdAt", a.expires_at as "expiresAt",
  a.opened, a.last_used_at as "lastUsedAt"`;
const OF_ACCOUNT = {
  name: 'secret_addresses_of_account',
  text: `select ${COLUMNS} from secret_addresses a
         where a.account_id = $1 and a.kind = $2 and (a.expires_at is null or a.expires_at > $3) order by a.id`,
};
/** Finds a valid address by its secret's digest, and counts its use at most once a minute. */
const USE = {
  name: 'secret_address_use',
  text: `with found as (
           select ${COLUMNS} from secret_addresses a join accounts o on o.id = a.account_id
           where a.digest = $1 and a.kind = $2 and o.suspended_at is null and (a.expires_at is null or a.expires_at > $3)),
         noted as (
           update secret_addresses a set opened = a.opened + 1, last_used_at = $3 from found
           where a.digest = $1 and coalesce(found."lastUsedAt", '-infinity') < $3::timestamptz - interval '1 minute')
         select * from found`,
};

@Injectable()
export class SecretAddressRepository {
  constructor(private readonly statements: SqlClient) {}

  findAll(accountId: string, kind: AddressKind, now: Date): Promise<SecretAddress[]> {
    return this.statements.run<SecretAddress>(OF_ACCOUNT, [accountId, kind, now]);
  }

  /** Counts the use. Returns null if the address is unknown or expired, or if its account is suspended. */
  async use(digest: string, kind: AddressKind, at: Date): Promise<SecretAddress | null> {
    const [found] = await this.statements.run<SecretAddress>(USE, [digest, kind, at]);
    return found ?? null;
  }

  /** Keeps other transactions from adding addresses to the account until this transaction ends. */
  async lock(accountId: string): Promise<void> {
    await this.statements.run(sql`select 1 from accounts where id = ${accountId} for no key update`);
  }

  /**
   * Deletes the account's expired addresses, then adds an address. A new calendar replaces the old calendar. Call
   * inside a transaction.
   */
  async add({ id, accountId, kind, digest, title, tags, createdAt, expiresAt }: NewAddress): Promise<void> {
    await this.statements.run(sql`
      delete from secret_addresses where account_id = ${accountId} and expires_at <= ${createdAt}`);
    await this.statements.run(sql`
      insert into secret_addresses (id, account_id, kind, digest, title, tags, created_at, expires_at)
      values (${id}, ${accountId}, ${kind}, ${digest}, ${title}, ${tags}, ${createdAt}, ${expiresAt})
      on conflict (account_id) where kind = 'calendar' do update set id = excluded.id, digest = excluded.digest,
        created_at = excluded.created_at, opened = 0, last_used_at = null`);
  }

  /** Call inside a transaction. Removes all addresses of this kind if `id` is null. @returns the removed addresses */
  remove(accountId: string, kind: AddressKind, id: string | null): Promise<SecretAddress[]> {
    return this.statements.run<SecretAddress>(sql`
      delete from secret_addresses a where a.account_id = ${accountId} and a.kind = ${kind}
        and (${id}::text is null or a.id = ${id}) returning ${sqlText(COLUMNS)}`);
  }
}
