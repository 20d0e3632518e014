import type { SqlClient } from '../database/sql-client.js';
import { UnsealFailed, MasterKeyMissing, type SecretBox } from './secret-box.js';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.js';

export interface ResealResult {
  readonly kind: string;
  /** How many this run resealed. */
  readonly resealed: number;
  /** How many were sealed with the current key already. */
  readonly current: number;
  /** How many are sealed with a key that is not available. */
  readonly unreadable: number;
}

interface Row {
  readonly key: string;
  readonly value: never;
  /** The database's time. */
  readonly now: Date;
}

type Counts = { -readonly [Name in Exclude<keyof ResealResult, 'kind'>]: number };

const BATCH_SIZE = 200;
/** Rows changed by running processes are read again in the next pass. */
const MAX_PASSES = 5;

/**
 * Reseals every stored secret with the current master key. A row is written only if unchanged since it was read, each
 * in its own statement: nothing is blocked, and an interrupted run can be repeated.
 */
export class ResealSecrets {
  constructor(
    private readonly sqlClient: SqlClient,
    private readonly box: SecretBox,
  ) {}

  async run(): Promise<readonly ResealResult[]> {
    const done: ResealResult[] = [];
    for (const column of SEALED_COLUMNS) done.push({ kind: column.kind, ...(await this.reseal(column)) });
    return done;
  }

  /** Repeats until a pass changes nothing; the last pass has the counts. */
  private async reseal(column: SealedColumn): Promise<Counts> {
    let resealed = 0;
    for (let pass = 1; ; pass += 1) {
      const found = await this.runPass(column);
      resealed += found.resealed;
      if (found.resealed === 0 || pass === MAX_PASSES)
        return { resealed, current: Math.max(0, found.current - resealed), unreadable: found.unreadable };
    }
  }

  private async runPass(column: SealedColumn): Promise<Counts> {
    const counts: Counts = { resealed: 0, current: 0, unreadable: 0 };
    let rows = await this.readPage(column, '');
    for (; rows.length > 0; rows = await this.readPage(column, rows.at(-1)?.key ?? ''))
      for (const row of rows) await this.resealRow(column, row, counts);
    return counts;
  }

  private readPage({ table, key, column, where }: SealedColumn, after: string): Promise<Row[]> {
    const text = `select ${key} as key, ${column} as value, now() as now from ${table}
                  where ${where} and ${key} > $1 order by ${key} limit $2`;
    return this.sqlClient.run<Row>({ name: `reseal_page_${table}_${column}`, text }, [after, BATCH_SIZE]);
  }

  private async resealRow(sealedColumn: SealedColumn, row: Row, counts: Counts) {
    const { table, key, column, belongsTo, mapSecrets, hash } = sealedColumn;
    const inRow: Counts = { resealed: 0, current: 0, unreadable: 0 };
    const value = mapSecrets(row.value, (sealed) => this.resealOne(sealed, belongsTo(row.key), inRow), row.now);
    counts.current += inRow.current;
    counts.unreadable += inRow.unreadable;
    if (inRow.resealed === 0) return;
    const text = `update ${table} changed set ${column} = $2 ${hash ? setHash(table, hash) : ''}
                  where ${key} = $1 and ${column} = $3 returning 1`;
    const [before, after] = [row.value as unknown, value].map((one) =>
      typeof one === 'string' ? one : JSON.stringify(one),
    );
    const hashes = hash ? [this.box.hashes(this.box.open(value as string, belongsTo(row.key)), hash.purpose)[0]] : [];
    const values = [row.key, after, before, ...hashes];
    const written = await this.sqlClient.run({ name: `reseal_${table}_${column}`, text }, values);
    if (written.length > 0) counts.resealed += inRow.resealed;
  }

  private resealOne(sealed: string, belongsTo: string, counts: Counts): string {
    if (this.box.isCurrent(sealed)) {
      counts.current += 1;
      return sealed;
    }
    try {
      const resealed = this.box.seal(this.box.open(sealed, belongsTo), belongsTo);
      counts.resealed += 1;
      return resealed;
    } catch (error) {
      if (!(error instanceof MasterKeyMissing || error instanceof UnsealFailed)) throw error;
      counts.unreadable += 1;
      return sealed;
    }
  }
}

/** $4 the new hash */
function setHash(table: string, { column, scope }: NonNullable<SealedColumn['hash']>): string {
  const isSameScope = scope.map((name) => `other.${name} = changed.${name}`).join(' and ');
  const isTaken = `exists (select from ${table} other where ${isSameScope} and other.${column} = $4)`;
  return `, ${column} = case when ${isTaken} then changed.${column} else $4 end`;
}
