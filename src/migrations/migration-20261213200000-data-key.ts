import { Migration } from '@mikro-orm/migrations';

/** The keys that sealed what is stored and still counts. */
const IDS_IN_USE = `
  select split_part(sealed, '.', 1) from notification_channels, lateral (
    select sealed_secret as sealed where sealed_secret is not null
    union all select sealed_target where sealed_target is not null
    union all select sealed_credential where sealed_credential is not null
    union all select secret ->> 'sealed' from jsonb_array_elements(older_secrets) as secret
      where (secret ->> 'until')::timestamptz > now()
    union all select value from jsonb_each_text(headers)) as held
  union select split_part(sealed_response, '.', 1) from idempotent_responses
    where sealed_response is not null and expires_at > now()`;

/** Secrets are sealed with a key that is stored, sealed itself with the master key. */
export class Migration20261213200000DataKey extends Migration {
  override up(): void {
    this.addSql(`create table data_key (
      one boolean primary key default true,
      sealed_key text,
      adopts text[],
      constraint is_one check (one),
      constraint is_sealed_or_adopts check ((sealed_key is null) <> (adopts is null)))`);
    this.addSql(`comment on table data_key is
      'The key that seals secrets, cursors and links, sealed with the master key. The first start makes it.'`);
    this.addSql(`comment on column data_key.adopts is
      'Ids of the master keys that sealed all this before; the next start makes the data key of them.'`);
    // The former master key becomes the data key, so sealed secrets, cursors and links stay readable.
    this.addSql(`insert into data_key (adopts)
      select array(${IDS_IN_USE} order by 1) where exists (select from accounts)`);
  }
}
