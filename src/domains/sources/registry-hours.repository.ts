import { Injectable } from '@nestjs/common';
import { after, Clock, HOUR } from '../../kernel/clock.js';
import { SqlClient } from '../../platform/database/sql-client.js';

/** The queries to an operator within an hour. */
export interface RegistryHour {
  readonly operator: string;
  readonly hour: Date;
  readonly answers: number;
  readonly errors: number;
  /** The total time of all queries. */
  readonly seconds: number;
}

type Counted = Pick<RegistryHour, 'answers' | 'errors' | 'seconds'>;

const NOTHING: Counted = { answers: 0, errors: 0, seconds: 0 };
const SHOWN_MS = 24 * HOUR;

const ADD = {
  name: 'registry_operator_hours_add',
  text: `insert into registry_hours as h (operator, hour, answers, errors, seconds)
         select operator, date_trunc('hour', $2::timestamptz, 'UTC'), answers, errors, seconds
         from jsonb_to_recordset($1::jsonb) as given(operator text, answers int, errors int, seconds real)
         order by operator
         on conflict (operator, hour) do update set answers = h.answers + excluded.answers,
           errors = h.errors + excluded.errors, seconds = h.seconds + excluded.seconds`,
};
const READ = {
  name: 'registry_operator_hours_read',
  text: `select operator, hour, answers, errors, seconds from registry_hours
         where operator = any($1::text[]) and hour > $2 and hour <= $3 order by hour`,
};
const FORGET = { name: 'registry_operator_hours_forget', text: 'delete from registry_hours where hour <= $1' };

/** Counts the answers, failures and response times of operators per hour, only for display. */
@Injectable()
export class RegistryHours {
  /** The counts since the last write, by operator. */
  private counted = new Map<string, Counted>();

  constructor(
    private readonly statements: SqlClient,
    private readonly clock: Clock,
  ) {}

  note(operator: string, isError: boolean, seconds: number): void {
    const { answers, errors, seconds: before } = this.counted.get(operator) ?? NOTHING;
    const counted = isError ? { answers, errors: errors + 1 } : { answers: answers + 1, errors };
    this.counted.set(operator, { ...counted, seconds: before + seconds });
  }

  async write(): Promise<void> {
    if (this.counted.size === 0) return;
    const rows = [...this.counted].map(([operator, counted]) => ({ operator, ...counted }));
    this.counted = new Map();
    await this.statements.run(ADD, [JSON.stringify(rows), this.clock.now()]);
  }

  async find(operators: readonly string[]): Promise<ReadonlyMap<string, readonly RegistryHour[]>> {
    const now = this.clock.now();
    const rows = await this.statements.run<RegistryHour>(READ, [operators, after(now, -SHOWN_MS), now]);
    return Map.groupBy(rows, ({ operator }) => operator);
  }

  async forget(): Promise<void> {
    await this.statements.run(FORGET, [after(this.clock.now(), -SHOWN_MS)]);
  }
}
