import { Migration } from '@mikro-orm/migrations';

/** What entries copy is written by the statements that change it: no trigger does, and no function repeats a rule. */
export class Migration20261214100000WithoutTriggers extends Migration {
  override up(): void {
    this.addSql(`alter table watch_entries add column long_text text`);
    this.addSql(
      `comment on column watch_entries.long_text is 'What is searched, where searched_text has no room for it.'`,
    );
    this.addSql(`update watch_entries set long_text = searched_text(domain, tags, note) where has_long_text`);
    for (const [name, table] of [
      ['set_entry_sort_keys', 'watch_entries'],
      ['set_entry_searched_text', 'watch_entries'],
      ['set_entry_drifted', 'watch_entries'],
      ['copy_first_facts', 'watch_entries'],
      ['count_added_entries', 'watch_entries'],
      ['count_removed_entries', 'watch_entries'],
      ['clear_entry_counts', 'watch_entries'],
      ['update_entry_sort_keys', 'watched_names'],
      ['update_entry_drifted', 'registration_records'],
      ['update_entry_drifted_at_end', 'registration_records'],
    ])
      this.addSql(`drop trigger ${name} on ${table}`);
    this
      .addSql(`drop function set_entry_sort_keys(), set_entry_searched_text(), set_entry_drifted(), copy_first_facts(),
      count_entries(), clear_entry_counts(), update_entry_sort_keys(), update_entry_drifted(), drifts(text, text),
      searched_text(text, text[], text), unicode_form(text), decode_punycode(text)`);
    this.addSql('alter table watch_entries drop column has_long_text'); // with its index
    this.addSql(`comment on table watch_entries is
      'One account watches one name: what it asked for, and what it was last notified of. expires_at, answered, failing and '
      'drifted are copies of what it shows of the name, because lists are sorted and filtered by them.'`);
    this.addSql(`comment on table entry_counts is
      'How many entries each account has: a page and an addition would else count all of them.'`);
  }
}

/** Those whose text does not fit into an index. */
export class Migration20261214100100EntriesWithLongText extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      create index concurrently if not exists watch_entries_with_long_text on watch_entries (account_id)
        where long_text is not null`);
  }
}

/** History outlives its entry in place. */
export class Migration20261214100200HistoryStays extends Migration {
  override up(): void {
    const columns = 'entry_id, change_seq, status, phase, move, first_seen_at, last_seen_at, expires_at, evidence';
    this.addSql('alter table watch_history drop constraint watch_history_entry_id_fkey');
    this.addSql(`insert into watch_history (${columns}) select ${columns} from removed_history`);
    this.addSql('drop table removed_history');
    this.addSql(`comment on table watch_history is
      'The statuses and phases of an entry, with their evidence, until the plan of its account keeps them no longer: also of '
      'one that was removed. null in last_seen_at: now.'`);
  }
}
