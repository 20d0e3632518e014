import { Migration } from '@mikro-orm/migrations';

/** Which account is the operator's is stored: it was the oldest one, so that its deletion would have made another one the operator's. */
export class Migration20261202100000OperatorAccount extends Migration {
  override up(): void {
    this.addSql('alter table accounts add column is_operator boolean not null default false');
    this.addSql(`
      update accounts set is_operator = true
      where id = (select id from accounts where deletion_started_at is null order by id limit 1)`);
    this.addSql('create unique index accounts_of_operator on accounts (is_operator) where is_operator');
    this.addSql(`
      comment on column accounts.is_operator is
        'Of the people who run this service: opens other accounts. One has it, from the first start on, and is never deleted.'`);
  }
}

/** What a session or a membership has to keep beside what it says now. */
export class Migration20261202100100WhatWasMeant extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column sole_account_id text');
    this.addSql(`
      comment on column sessions.sole_account_id is
        'The only account of the person when the session began: its requests may leave out which they mean. Null: there were several.'`);
    this.addSql(
      `alter table members add column invited_role text check (invited_role in ('viewer', 'editor', 'admin'))`,
    );
    this.addSql(`
      comment on column members.invited_role is
        'What an invitation gave to who is there by a group with a stronger role: it stays when that one ends.'`);
  }
}
