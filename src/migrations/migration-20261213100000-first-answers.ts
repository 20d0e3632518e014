import { Migration } from '@mikro-orm/migrations';

/** A first answer is shown. It is told only to watchers who ask for it. */
export class Migration20261213100000FirstAnswers extends Migration {
  override up(): void {
    this.addSql(`alter table watch_entries add column first_answer text check (first_answer in ('shown', 'told'))`);
    this.addSql(`update watch_entries set first_answer = 'shown' where not has_confirmed_facts`);
    this.addSql(`comment on column watch_entries.first_answer is
      'What becomes of the first answer since the entry was added or resumed; null: there was one.'`);
  }
}
