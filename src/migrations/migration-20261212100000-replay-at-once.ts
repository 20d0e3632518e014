import { Migration } from '@mikro-orm/migrations';

/** A replay is one update; what an earlier one had not reached yet is due. */
export class Migration20261212100000ReplayAtOnce extends Migration {
  override up(): void {
    this
      .addSql(`update deliveries d set state = 'pending', failures = 0, urgent = false, next_attempt_at = r.requested_at
      from delivery_replays r
      where d.channel_id = r.channel_id and d.state <> 'pending' and d.created_at between r.last_created_at and r.range_to
        and (d.created_at, d.id) > (r.last_created_at, r.last_id)`);
    this.addSql('drop table delivery_replays');
  }
}
