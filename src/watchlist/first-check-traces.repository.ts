import { Injectable } from '@nestjs/common';
import { Tracer } from '../kernel/tracing/tracer.js';
import { SqlClient } from '../platform/database/sql-client.js';

const KEEP = {
  name: 'first_check_trace_save',
  text: `insert into first_check_traces (domain, traceparent) values ($1, $2)
         on conflict (domain) do update set traceparent = excluded.traceparent, created_at = now()`,
};
/** Those of names that were removed before their first check go with them, a day later. */
const TAKE = {
  name: 'first_check_trace_take',
  text: `delete from first_check_traces where domain = any($1) or created_at < now() - interval '1 day'
         returning domain, traceparent`,
};

/** Makes the first check of a name part of the trace of the request that added it. Used only where traces are on. */
@Injectable()
export class FirstCheckTraces {
  constructor(
    private readonly statements: SqlClient,
    private readonly tracer: Tracer,
  ) {}

  /**
   * Keeps the current trace. It never fails: an addition is worth more than its trace. Not in the transaction of the
   * addition, but before its commit: the row is there when the name can be claimed.
   */
  async keep(domain: string): Promise<void> {
    const { traceparent } = this.tracer;
    if (traceparent === null) return;
    await this.statements.run(KEEP, [domain, traceparent]).catch(() => undefined); // the outage is logged where it is noticed
  }

  /** @returns the `traceparent` of names that have one, by name: once */
  async take(domains: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (!this.tracer.isEnabled) return new Map();
    const rows = await this.statements.run<{ domain: string; traceparent: string }>(TAKE, [domains]).catch(() => []);
    return new Map(rows.map(({ domain, traceparent }) => [domain, traceparent]));
  }
}
