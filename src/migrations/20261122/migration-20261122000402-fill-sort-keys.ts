import { Migration } from '@mikro-orm/migrations';

/**
 * Fills what lists are sorted by, for entries that were there before. Lists would be in a wrong order until it is done,
 * so it is done here, a few names to a transaction: its locks are short. Safe to repeat.
 */
export class Migration20261122000402FillSortKeys extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`do $$
      declare
        last text := '';
        names text[];
      begin
        loop
          select array_agg(n.domain order by n.domain), max(n.domain) into names, last from (
            select domain from watched_names
            where domain > last and last_checked_at is not null order by domain limit 500 for share) n;
          exit when last is null;
          update watch_entries e set expires_at = (n.facts::jsonb ->> 'expiresAt')::timestamptz, answered = true
          from watched_names n
          where n.domain = any(names) and e.domain = n.domain
            and (not e.answered or e.expires_at is distinct from (n.facts::jsonb ->> 'expiresAt')::timestamptz);
          commit;
        end loop;
      end $$`);
  }
}
