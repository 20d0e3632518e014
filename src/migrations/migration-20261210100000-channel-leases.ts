import { Migration } from '@mikro-orm/migrations';

/** A worker leases a channel, where it leased single deliveries; what is due is read, where limits and digests were written. */
export class Migration20261210100000ChannelLeases extends Migration {
  override up(): void {
    this.addSql(`create table channel_leases (
      channel_id text primary key references notification_channels (id) on delete cascade,
      account_id text not null,
      host text not null,
      token text,
      until timestamptz,
      sending text[] not null default '{}',
      served_at timestamptz not null,
      messaged_at timestamptz(3),
      constraint token_has_an_end check ((token is null) = (until is null))
    ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02)`);
    this.addSql(`comment on table channel_leases is
      'The right of one worker to send to a channel until a time, and when each channel was served last.'`);
    this.addSql(`comment on column channel_leases.token is 'Null: nobody sends to it.'`);
    this.addSql(
      `comment on column channel_leases.sending is 'The deliveries whose attempts have started under this lease.'`,
    );
    this.addSql(`comment on column channel_leases.messaged_at is
      'By the clock of events: when people got the last message, from which the next one keeps its distance.'`);
    this.addSql('create index channel_leases_held on channel_leases (until) where token is not null');
    // What a limit held back or a suspension paused is simply due.
    this.addSql(`update deliveries set state = 'pending', next_attempt_at = created_at
      where state = 'paused' and id in (select delivery_id from suspended_deliveries)`);
    this.addSql(`update delivery_attempts set outcome = 'lost' where outcome is null`);
    this.addSql('drop table delivery_leases');
    this.addSql('drop table suspended_deliveries');
    this.addSql('drop table digests');
    this.addSql('alter table deliveries drop column digest_id, drop column host'); // with their indexes
    this.addSql(`comment on table deliveries is 'One event for one channel.'`);
  }
}

/** By which channels with something due are found, and what is due on one. */
export class Migration20261210100100PendingDeliveries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists deliveries_pending on deliveries (channel_id, next_attempt_at, id)
       where state = 'pending'`,
    );
  }
}

/** By which it is seen at once that nothing is due. */
export class Migration20261210100200DueDeliveries extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(
      `create index concurrently if not exists deliveries_due on deliveries (next_attempt_at) where state = 'pending'`,
    );
  }
}
