import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import { EventBus } from '../../kernel/unit-of-work.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { SqlStatement } from '../../platform/database/sql.js';
import { Metrics, READ_TIMEOUT_MS } from '../../platform/metrics/metrics.js';
import { MOVES } from '../domain/move.js';
import type { WatchlistEventData } from '../domain/watch-events.js';
import { WATCHED_OPERATORS } from '../watched-names.repository.js';

/** Counts the due names of each registry operator. Reads only the index entries of due names. */
const COUNT_DUE: SqlStatement = {
  name: 'metrics_names_due',
  text: `with ${WATCHED_OPERATORS}
         select o.operator, sum(late.names)::int as names
         from operators o cross join (values (0), (1), (2)) as u(urgency) cross join lateral (
           select count(*) as names from watched_names n
           where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at <= $1) as late
         where o.operator is not null group by o.operator order by sum(late.names) desc`,
};
/** Finds when the most overdue name became due. Reads one index entry per operator and urgency. */
const OLDEST_DUE: SqlStatement = {
  name: 'metrics_oldest_due',
  text: `with ${WATCHED_OPERATORS}
         select min(first.next_check_at) as "dueSince"
         from operators o cross join (values (0), (1), (2)) as u(urgency) cross join lateral (
           select n.next_check_at from watched_names n
           where n.operator = o.operator and n.urgency = u.urgency and n.next_check_at <= $1
           order by n.next_check_at limit 1) as first`,
};
const COUNT_LEASES = {
  name: 'metrics_active_leases',
  text: 'select count(*)::int as names from check_leases where until > now()',
};
const COUNT_ENTRIES = {
  name: 'metrics_entries',
  text: 'select coalesce(sum(entries), 0)::int as names from entry_counts',
};
/** A delay this long means a fault, or a rate limit that is too low. */
const OVERDUE_MS = 60 * SECOND;
/**
 * How many operators get their own metric series: those with the most due names. All others share the series `other`.
 */
const MAX_OPERATORS = 200;
const OTHER = 'other';

@Injectable()
export class WatchlistMetrics implements OnModuleInit {
  private readonly log = new Logger('Watchlist');

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('namewatch_oldest_overdue_seconds', 'How long the most overdue name has been due.', async () => {
      const now = this.clock.now();
      const [row] = await this.sqlClient.run<{ dueSince: Date | null }>(OLDEST_DUE, [now]);
      return Math.floor((now.getTime() - (row?.dueSince ?? now).getTime()) / SECOND);
    });
    const underWayHelp = 'Names whose check is running, in all processes.';
    this.metrics.gauge('namewatch_checks_under_way', underWayHelp, async () => {
      const [row] = await this.sqlClient.run<{ names: number }>(COUNT_LEASES);
      return row?.names ?? 0;
    });
    const dueHelp = 'Names whose check is due or in progress, by the operator of their registry.';
    const overdueHelp = 'Names whose check has been due for more than a minute, by the operator of their registry.';
    this.metrics.gauge('namewatch_names_due', dueHelp, () => this.countDue(0), 'operator');
    this.metrics.gauge('namewatch_names_overdue', overdueHelp, () => this.countDue(OVERDUE_MS), 'operator');
    this.metrics.gauge('namewatch_watch_entries', 'Entries on the watchlists of all accounts.', async () => {
      const [row] = await this.read<{ names: number }>(COUNT_ENTRIES, []);
      return row?.names ?? 0;
    });
    this.reportMoves();
  }

  /** Counts and logs every change of status or phase, after its transaction has committed. */
  private reportMoves(): void {
    const help = 'Changes of the status or phase of entries, by what they mean.';
    const moves = this.metrics.counter('namewatch_moves_total', help, { move: MOVES.length });
    this.events.afterCommit('watchlist.', (events: readonly DomainEvent[]) => {
      for (const { payload } of events) {
        const { domain, previous_status: from, status: to, phase, move, change_seq } = payload as WatchlistEventData;
        if (move === null) continue;
        moves.increment(move);
        this.log.log({ domain, from, to, phase, move, change_seq }, from === to ? 'phase changed' : 'status changed');
      }
    });
  }

  private async countDue(lateMs: number): Promise<ReadonlyMap<string, number>> {
    const dueBy = new Date(this.clock.now().getTime() - lateMs);
    const rows = await this.read<{ operator: string; names: number }>(COUNT_DUE, [dueBy]);
    const others = rows.slice(MAX_OPERATORS).reduce((sum, { names }) => sum + names, 0);
    const counts = new Map(rows.slice(0, MAX_OPERATORS).map(({ operator, names }) => [operator, names]));
    return rows.length > MAX_OPERATORS ? counts.set(OTHER, others) : counts;
  }

  private read<Row extends object>(statement: SqlStatement, values: readonly unknown[]): Promise<Row[]> {
    return this.sqlClient.runFullScan<Row>(statement, values, READ_TIMEOUT_MS);
  }
}
