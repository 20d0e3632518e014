import { Migration } from '@mikro-orm/migrations';

/**
 * Accounts and their keys; documents fetched from registries. References are judged at the commit: aggregates know each
 * other by id only, and the ORM writes them in any order.
 */
export class Migration20261121000100Auth extends Migration {
  override up(): void {
    this.addSql(`create table accounts (
      id text primary key,
      name text not null,
      plan text not null,
      created_at timestamptz(3) not null)`);
    this.addSql(`create table api_keys (
      id text primary key,
      account_id text not null references accounts (id) deferrable initially deferred,
      name text not null,
      digest text not null,
      scopes text[] not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3),
      last_used_at timestamptz(3),
      revoked_at timestamptz(3))`);
    this.addSql(`create index api_keys_of_account on api_keys (account_id, id)`);
    this.addSql(`create table registry_documents (
      kind text primary key,
      body text not null,
      fetched_at timestamptz(3) not null)`);
  }
}
