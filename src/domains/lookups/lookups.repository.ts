import { Injectable } from '@nestjs/common';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import { clearsZone } from '../domain/lookup/absence.js';
import type { LookupResult, Observation } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';

/** The results of earlier lookups of a name for which the registry has no record now. */
export interface NameMemory {
  /** Whether the parent zone had the name in the last day, and has not denied the name since. */
  readonly zoneHadIt: boolean;
  /** Whether the registry had a record of the name (or reserved it) at any account's last lookup. */
  readonly wasFound: boolean;
}

const NOTHING: NameMemory = { zoneHadIt: false, wasFound: false };

export type LookupMemories = Pick<LookupRepository, 'recall' | 'saveChange'>;

/** Remembers nothing, for use without a database. */
export const NO_MEMORIES: LookupMemories = {
  recall: () => Promise.resolve(NOTHING),
  saveChange: () => Promise.resolve(),
};

interface FreshRequest {
  readonly domain: string;
  readonly accountId: string;
  readonly notBefore: Date;
}

/** An observation as two JSON texts, so that SQL can compare the facts. */
interface SerializedObservation {
  readonly facts: string;
  /** Everything except the facts. */
  readonly observation: string;
}

interface FreshRow extends SerializedObservation {
  readonly domain: string;
  readonly accountId: string;
}

/** $1: the requests as JSON, $2: now. A lookup does not count if any account's newer lookup found other facts. */
const SELECT_FRESH = {
  name: 'lookups_fresh',
  text: `select o.domain, o.account_id as "accountId", o.facts, o.observation
    from jsonb_to_recordset($1::jsonb) as a(domain text, "accountId" text, "notBefore" timestamptz)
    join lateral (select * from lookups l where l.domain = a.domain and l.account_id = a."accountId" limit 1) o on true
    where o.fresh_until >= $2 and o.observed_at >= a."notBefore" and o.observed_at <= $2::timestamptz + interval '1 second'
      and not exists (select from lookups n where n.domain = o.domain and n.observed_at > o.observed_at
                        and n.facts is distinct from o.facts)`,
};

/** $1 is the name. The zone's answers from before $2 do not count. */
const SELECT_MEMORY = {
  name: 'lookups_memory',
  text: `select coalesce(bool_or(in_zone_at >= $2), false) as "zoneHadIt",
      coalesce(bool_or(facts::jsonb ->> 'outcome' <> 'absent'), false) as "wasFound"
    from lookups where domain = $1`,
};

/**
 * Replaces a stored lookup that is older, or more than a minute in the future. $7: now; $8: whether to forget that the
 * parent zone had the name.
 */
const SAVE = {
  name: 'lookups_save',
  text: `with cleared as (
      update lookups set in_zone_at = null where $8 and domain = $1 and account_id is null and in_zone_at <= $5)
    insert into lookups as s (domain, account_id, facts, observation, observed_at, fresh_until)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (domain, account_id) do update set facts = excluded.facts, observation = excluded.observation,
      observed_at = excluded.observed_at, fresh_until = excluded.fresh_until
    where s.observed_at <= excluded.observed_at or s.observed_at > $7::timestamptz + interval '1 minute'`,
};

/**
 * Saves a lookup for all accounts. $2: facts; null if "no record" is not believed. $4: when the zone had the name;
 * `-infinity` deletes the stored time, null keeps it.
 */
const SAVE_COMMON = {
  name: 'lookups_save_common',
  text: `insert into lookups as s (domain, account_id, facts, observed_at, in_zone_at) values ($1, null, $2, $3, $4)
    on conflict (domain, account_id) do update set
      facts = case when s.observed_at <= excluded.observed_at then excluded.facts else s.facts end,
      observed_at = greatest(s.observed_at, excluded.observed_at),
      in_zone_at = case when excluded.in_zone_at = '-infinity' and s.in_zone_at > excluded.observed_at then s.in_zone_at
                        else coalesce(excluded.in_zone_at, s.in_zone_at) end`,
};

/** Deletes rows that are stale at $1 (now), but not if the zone was seen to have the name after $2. */
const DELETE_STALE = {
  name: 'lookups_prune',
  text: `delete from lookups where coalesce(fresh_until, observed_at + interval '1 day') < $1
      and coalesce(in_zone_at, '-infinity') < $2`,
};

/**
 * While the parent zone gives no answer, its last answer "I have the name" outweighs the registry's "no record" for
 * this long.
 */
const ZONE_KEPT_MS = DAY;

/** Stores each account's last lookup of each name. A row without an account counts for all accounts. */
@Injectable()
export class LookupRepository {
  /** Reads for several checks by one SQL query, because every check reads. */
  private readonly fresh = new Batcher<FreshRequest, Observation | null>((requests) => this.findAll(requests));

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  /** Returns the observation that answers a check of this account; null if the registry has to be asked. */
  findFresh({ ascii: domain }: DomainName, accountId: string, notBefore: Date): Promise<Observation | null> {
    return this.fresh.submit({ domain, accountId, notBefore });
  }

  async recall({ ascii }: DomainName): Promise<NameMemory> {
    const from = after(this.clock.now(), -ZONE_KEPT_MS);
    const [memory] = await this.statements.run<NameMemory>(SELECT_MEMORY, [ascii, from]);
    return memory ?? NOTHING;
  }

  /** Stores a failure only if the failure is a "no record" answer that is not believed. */
  async saveCheck({ ascii }: DomainName, accountId: string, result: LookupResult, freshUntil: Date): Promise<void> {
    if (result.kind === 'failure') return this.saveDoubt(ascii, result);
    const { facts, observation } = serializeObservation(result);
    const times = [result.observedAt, freshUntil, this.clock.now()];
    await this.statements.run(SAVE, [ascii, accountId, facts, observation, ...times, clearsZone(result)]);
  }

  /** Stores a routine check. Call only if facts changed, or if a "no record" answer is not believed. */
  async saveChange({ ascii }: DomainName, result: LookupResult): Promise<void> {
    if (result.kind === 'failure') return this.saveDoubt(ascii, result);
    const facts = JSON.stringify(result.facts);
    const inZoneAt = clearsZone(result) ? '-infinity' : null;
    await this.statements.run(SAVE_COMMON, [ascii, facts, result.observedAt, inZoneAt]);
  }

  async prune(): Promise<void> {
    const now = this.clock.now();
    await this.statements.run(DELETE_STALE, [now, after(now, -ZONE_KEPT_MS)]);
  }

  private async saveDoubt(domain: string, { doubt, observedAt, inZoneAt }: Extract<LookupResult, { kind: 'failure' }>) {
    if (doubt) await this.statements.run(SAVE_COMMON, [domain, null, observedAt, inZoneAt ?? null]);
  }

  private async findAll(requests: readonly FreshRequest[]): Promise<(Observation | null)[]> {
    const rows = await this.statements.run<FreshRow>(SELECT_FRESH, [JSON.stringify(requests), this.clock.now()]);
    const found = new Map(rows.map((row) => [`${row.accountId} ${row.domain}`, row]));
    return requests.map(({ domain, accountId, notBefore }) => {
      const row = found.get(`${accountId} ${domain}`);
      const observation = row ? parseObservation(row) : null;
      return observation && observation.observedAt >= notBefore ? observation : null;
    });
  }
}

const DATE_MEMBERS = new Set(['observedAt', 'registeredAt', 'expiresAt', 'releasesAt', 'lastTransferAt']);

export function serializeObservation({ facts, ...rest }: Observation): SerializedObservation {
  return { facts: JSON.stringify(facts), observation: JSON.stringify(rest) };
}

export function parseObservation({ facts, observation }: SerializedObservation): Observation {
  return { ...(parseWithDates(observation) as Observation), facts: parseWithDates(facts) as Observation['facts'] };
}

function parseWithDates(text: string): unknown {
  return JSON.parse(text, (member, value: unknown) =>
    DATE_MEMBERS.has(member) && typeof value === 'string' ? new Date(value) : value,
  );
}
