import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../../src/config/config.js';
import { InFlightResultPoller } from '../../../../src/domains/lookup-cache/in-flight-results.repository.js';
import { serializeFailure } from '../../../../src/domains/lookup-cache/lookup-serialization.js';
import { failedLookup } from '../../../../src/domains/domain/lookup/lookup-result.js';
import { type SqlStatement, SqlClient } from '../../../../src/platform/database/sql-client.js';
import { eventually } from '../../../support/eventually.js';

/** Answers on demand: a lookup in flight for each name, or its failure. */
class SlowStatements extends SqlClient {
  readonly asked: string[][] = [];
  readonly published = new Set<string>();
  private readonly held: (() => void)[] = [];

  constructor() {
    super(
      readConfig({
        DATABASE_URL: 'postgres://nouser@127.0.0.1:1/none',
        MASTER_KEY: randomBytes(32).toString('base64'),
      }),
    );
  }

  override async run<Row extends object>(_: SqlStatement, values: readonly unknown[] = []): Promise<Row[]> {
    const [names] = values as [string[]];
    this.asked.push(names);
    await new Promise<void>((resolve) => this.held.push(resolve));
    return names.map((domain) => this.rowOf(domain)) as object[] as Row[];
  }

  /** Completes the running statement. */
  answer(): void {
    this.held.shift()?.();
  }

  private rowOf(domain: string) {
    const row = { domain, leaseId: '7', facts: null, observation: null };
    if (!this.published.has(domain)) return { ...row, isInFlight: true, publishedLeaseId: null, failure: null };
    const failure = serializeFailure(failedLookup('registry_timeout', domain, new Date('2026-11-21T12:00:00Z')));
    return { ...row, isInFlight: false, publishedLeaseId: '7', failure };
  }
}

let statements: SlowStatements;
let arrivals: InFlightResultPoller;

beforeEach(() => {
  statements = new SlowStatements();
  arrivals = new InFlightResultPoller(statements);
});

const statement = (count: number) =>
  eventually(
    () => Promise.resolve(statements.asked.length),
    (length) => length >= count,
  );

describe('waiting for lookups of other processes', () => {
  it('includes names that were added during a poll', async () => {
    const results: string[] = [];
    const wait = async (domain: string) => {
      const result = await arrivals.awaitResult(domain, '7');
      results.push(`${domain} ${result?.kind ?? 'lost'}`);
    };
    const waiting = [wait('first.example')];
    await statement(1);
    waiting.push(wait('second.example'), wait('third.example'));
    statements.answer();
    await statement(2);
    expect(results).toEqual([]);
    expect(statements.asked[1]).toEqual(['first.example', 'second.example', 'third.example']);
    ['first.example', 'second.example', 'third.example'].forEach((name) => statements.published.add(name));
    statements.answer();
    await Promise.all(waiting);
    expect(results).toEqual(['first.example failure', 'second.example failure', 'third.example failure']);
  });
});
