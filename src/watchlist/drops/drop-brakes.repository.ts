import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { DropBrake, type DropBrakeState, dropBrakeTimings, type RecentDrops } from '../domain/drop-brake.js';
import { WatchConfig } from '../../config/sections.js';
import { after } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';

const COLUMNS = `operator, tld, held_since as "heldSince", cleared_at as "clearedAt"`;
const SELECT_HELD = {
  name: 'drop_brakes_held',
  text: `select ${COLUMNS} from drop_brakes where held_since is not null`,
};
const SELECT_HELD_OF = {
  name: 'drop_brakes_held_of',
  text: `select operator, tld from drop_brakes where (operator = any($1::text[]) or tld = any($2::text[])) and held_since is not null`,
};
const RELEASE = {
  name: 'drop_brakes_release',
  text: `update drop_brakes set held_since = null, cleared_at = $3
         where operator = $1 and tld = $2 and held_since is not null`,
};
const PURGE_DROPS = { name: 'drop_brakes_purge_drops', text: 'delete from operator_drops where at < $1' };
/** Drops are counted per minute: fine enough for the last hour, and few rows for a week. */
const BUCKETS_PER_HOUR = 60;

/** The ORM's connection returns timestamps as text. */
interface BrakeRow {
  readonly heldSince: string | null;
  readonly clearedAt: string | null;
}
type Registry = Pick<DropBrakeState, 'operator' | 'tld'>;

function parseInstant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** Drop brakes by TLD, with the drop counts they depend on. */
@Injectable()
export class DropBrakeRepository {
  /** Each check of an available name asks for one. */
  private readonly held = new Batcher<Registry, boolean>(async (registries) => {
    const [operators, tlds] = [registries.map(({ operator }) => operator), registries.map(({ tld }) => tld)];
    const rows = await this.statements.run<Registry>(SELECT_HELD_OF, [[...new Set(operators)], [...new Set(tlds)]]);
    const [heldOperators, heldTlds] = [rows.map(({ operator }) => operator), rows.map(({ tld }) => tld)];
    return registries.map(({ operator, tld }) => heldOperators.includes(operator) || heldTlds.includes(tld));
  });

  constructor(
    private readonly statements: SqlClient,
    private readonly entities: EntityManager,
    private readonly config: WatchConfig,
    private readonly units: TimeUnits,
  ) {}

  /** Locked until the unit of work ends, so that drops of a TLD are decided one at a time. */
  async findForUpdate(operator: string, tld: string, now: Date): Promise<DropBrake> {
    const found = await sql<BrakeRow>`
      insert into drop_brakes (operator, tld) values (${operator}, ${tld})
      on conflict (operator, tld) do update set tld = excluded.tld
      returning operator, tld, held_since as "heldSince", cleared_at as "clearedAt"`.execute(this.entities.getKysely());
    const [stored] = found.rows;
    if (!stored) throw new Error(`the brake of .${tld} could be neither found nor created`);
    const state = {
      operator,
      tld,
      heldSince: parseInstant(stored.heldSince),
      clearedAt: parseInstant(stored.clearedAt),
    };
    const drops = await this.readRecentDrops(operator, now);
    return new DropBrake(state, drops, this.config.brakeDropsPerHour, this.units);
  }

  async hold({ operator, tld }: DropBrakeState, since: Date): Promise<void> {
    await sql`
      update drop_brakes set held_since = coalesce(held_since, ${since})
      where operator = ${operator} and tld = ${tld}`.execute(this.entities.getKysely());
  }

  async countDrop(operator: string, at: Date): Promise<void> {
    const bucketMs = dropBrakeTimings(this.units).hourMs / BUCKETS_PER_HOUR;
    const bucket = new Date(Math.floor(at.getTime() / bucketMs) * bucketMs);
    await sql`
      insert into operator_drops (operator, at, drops) values (${operator}, ${bucket}, 1)
      on conflict (operator, at) do update set drops = operator_drops.drops + 1`.execute(this.entities.getKysely());
  }

  /** Deletes drops that no rule counts any more; one statement. */
  async purgeDrops(now: Date): Promise<void> {
    await this.statements.run(PURGE_DROPS, [after(now, -dropBrakeTimings(this.units).dropHistoryMs)]);
  }

  /** The brakes that hold at present; outside of any transaction. */
  findHeld(): Promise<readonly DropBrakeState[]> {
    return this.statements.run<DropBrakeState>(SELECT_HELD);
  }

  /** Whether drops of the TLD, or of any other of its operator, are held; outside of any transaction. */
  isHeld(registry: Registry): Promise<boolean> {
    return this.held.submit(registry);
  }

  async release({ operator, tld }: DropBrakeState, at: Date): Promise<void> {
    await this.statements.run(RELEASE, [operator, tld, at]);
  }

  private async readRecentDrops(operator: string, now: Date): Promise<RecentDrops> {
    const { hourMs: hour, dropHistoryMs: watched } = dropBrakeTimings(this.units);
    const [hourAgo, weekAgo] = [after(now, -hour), after(now, -watched)];
    const found = await sql<{ lastHour: number; busiestHour: number }>`
      select coalesce(sum(drops) filter (where of_last), 0)::int as "lastHour",
        coalesce(max(by_hour) filter (where not of_last), 0)::int as "busiestHour"
      from (
        select drops, at > ${hourAgo} as of_last,
          sum(drops) over (partition by floor(extract(epoch from at) * 1000 / ${hour}), at > ${hourAgo}) as by_hour
        from operator_drops where operator = ${operator} and at > ${weekAgo}) as recent`.execute(
      this.entities.getKysely(),
    );
    return found.rows[0] ?? { lastHour: 0, busiestHour: 0 };
  }
}
