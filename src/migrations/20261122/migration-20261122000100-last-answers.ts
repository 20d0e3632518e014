import { Migration } from '@mikro-orm/migrations';

/** `last_checked_at` becomes the instant of the last answer: where checks fail now, the last one was none. */
export class Migration20261122000100LastAnswers extends Migration {
  override up(): void {
    this.addSql(`update watched_names set last_checked_at = proof_at where failing_since is not null`);
  }
}
