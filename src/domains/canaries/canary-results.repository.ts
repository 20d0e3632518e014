import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { Batcher } from '../../platform/concurrency/batcher.js';
import { SqlClient } from '../../platform/database/sql-client.js';
import type { CanaryResult } from '../domain/lookup/canary-result.js';

/**
 * A pass from before the database's clock was put back hides no failure of now. A failure counts all the same, until the next
 * result is saved.
 */
const isBelieved = (now: string) => `(not passed or observed_at <= ${now}::timestamptz + interval '1 second')`;
/** A probe ends minutes after its `observed_at` at the latest, so a later result of its TLD is from before such a step. */
const INSERT_AND_PURGE = {
  name: 'registry_canary_save',
  text: `with forgotten as (delete from registry_canaries where observed_at < $2::timestamptz - interval '7 days'
           or tld = $1 and observed_at > $2::timestamptz + interval '5 minutes')
         insert into registry_canaries (tld, observed_at, passed, registered, unregistered)
         values ($1, $2, $3, $4, $5) on conflict do nothing`,
};
const RESULT = 'tld, observed_at as "observedAt", passed as "hasPassed", registered, unregistered';
const SELECT_SINCE = {
  name: 'registry_canaries_since',
  text: `select ${RESULT} from registry_canaries
         where tld = $1 and observed_at >= $2 and ${isBelieved('$3')} order by observed_at`,
};
const SELECT_LATEST = {
  name: 'registry_canaries_last',
  text: `select distinct on (tld) ${RESULT} from registry_canaries
         where tld = any($1::text[]) and ${isBelieved('$2')} order by tld, observed_at desc`,
};
const SELECT_FAILING = {
  name: 'registry_canaries_failing',
  text: `select tld from (select distinct on (tld) tld, passed from registry_canaries
           where ${isBelieved('$1')} order by tld, observed_at desc) as latest
         where not passed`,
};

/** The recent canary results of all processes. */
@Injectable()
export class CanaryResultRepository {
  /** Each check of an available name asks for one. */
  private readonly latest = new Batcher<string, CanaryResult | null>(async (tlds) => {
    const found = new Map((await this.findLatest([...new Set(tlds)])).map((result) => [result.tld, result]));
    return tlds.map((tld) => found.get(tld) ?? null);
  });

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  async save({ tld, observedAt, hasPassed, registered, unregistered }: CanaryResult): Promise<void> {
    const answers = [JSON.stringify(registered), JSON.stringify(unregistered)];
    await this.statements.run(INSERT_AND_PURGE, [tld, observedAt, hasPassed, ...answers]);
  }

  /** Returns the results of a TLD, oldest first. */
  findSince(tld: string, from: Date): Promise<CanaryResult[]> {
    return this.statements.run<CanaryResult>(SELECT_SINCE, [tld, from, this.clock.now()]);
  }

  /** Returns the latest result of a TLD; null without any. */
  findLast(tld: string): Promise<CanaryResult | null> {
    return this.latest.submit(tld);
  }

  /** Returns the TLDs whose latest result is a failure. */
  async findFailing(): Promise<string[]> {
    return (await this.statements.run<{ tld: string }>(SELECT_FAILING, [this.clock.now()])).map(({ tld }) => tld);
  }

  /** Returns the latest result of each of these TLDs that has one. */
  findLatest(tlds: readonly string[]): Promise<CanaryResult[]> {
    return this.statements.run<CanaryResult>(SELECT_LATEST, [tlds, this.clock.now()]);
  }
}
