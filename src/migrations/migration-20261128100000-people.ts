import { Migration } from '@mikro-orm/migrations';

/** People who sign in, the accounts that they are members of, invitations, and the sessions of browsers. */
export class Migration20261128100000People extends Migration {
  override up(): void {
    this.addSql(`
      create table people (
        id text primary key,
        issuer text not null,
        subject text not null,
        name text,
        email text,
        created_at timestamptz(3) not null,
        signed_in_at timestamptz(3) not null,
        unique (issuer, subject)
      )`);
    this.addSql(`
      comment on table people is
        'Who has signed in by OpenID Connect: known by issuer and subject, never by address. The address is a verified one.'`);
    this.addSql(`
      create table members (
        account_id text not null references accounts (id) on delete cascade,
        person_id text not null references people (id) on delete cascade,
        role text not null check (role in ('viewer', 'editor', 'admin')),
        added_by text not null check (added_by in ('invitation', 'group')),
        added_at timestamptz(3) not null,
        primary key (person_id, account_id)
      )`);
    this.addSql("comment on table members is 'The accounts of a person, and the role in each.'");
    this.addSql('create index members_of_account on members (account_id)');
    this.addSql(`
      create table invitations (
        id text primary key,
        account_id text not null references accounts (id) on delete cascade,
        role text not null check (role in ('viewer', 'editor', 'admin')),
        email text not null,
        digest text not null,
        invited_by text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        accepted_at timestamptz(3)
      )`);
    this.addSql(`
      comment on table invitations is
        'Who may become a member: bound to a verified address. digest is the SHA-256 of the secret in the link.'`);
    this.addSql('create index invitations_of_account on invitations (account_id)');
    this.addSql(`
      create table sessions (
        id text primary key,
        digest text not null,
        key_id text references api_keys (id) on delete cascade,
        person_id text references people (id) on delete cascade,
        created_at timestamptz(3) not null,
        used_at timestamptz(3) not null,
        ends_at timestamptz(3) not null,
        address text,
        user_agent text,
        check (num_nonnulls(key_id, person_id) = 1)
      )`);
    this.addSql('create index sessions_of_owner on sessions (coalesce(person_id, key_id), created_at desc)');
    this.addSql(`
      comment on table sessions is
        'Browsers that stay signed in, by a key or as a person; digest is the SHA-256 of the secret in the cookie.'`);
  }
}
