import { Injectable } from '@nestjs/common';
import { SqlClient } from '../../platform/database/sql-client.js';
import { type CanaryMemory, NO_CANARY_MEMORY } from '../domain/lookup/canary.js';

/** Identifies the canaries (names that a registry must know, see canary.ts) of one source in one zone. */
export interface CanaryPlace {
  readonly source: string;
  /** The zone above the names, such as `com` or `co.uk`. */
  readonly zone: string;
}

export type CanaryMemories = Pick<CanaryMemoryRepository, 'recall' | 'save'>;

/** Remembers nothing, for use without a database. */
export const NO_CANARY_MEMORIES: CanaryMemories = {
  recall: () => Promise.resolve(NO_CANARY_MEMORY),
  save: () => Promise.resolve(),
};

interface CanaryRow extends CanaryPlace {
  readonly known: readonly { readonly domain: string; readonly found_at: string }[];
  readonly foundAt: Date | null;
  readonly missingAt: Date | null;
  readonly domain: string | null;
}

const COLUMNS = `source, zone, known, found_at as "foundAt", missing_at as "missingAt", domain`;
const SELECT = {
  name: 'registry_canary',
  text: `select ${COLUMNS} from registry_canaries where source = $1 and zone = $2`,
};
const SELECT_IN = {
  name: 'registry_canaries_in',
  text: `select ${COLUMNS} from registry_canaries where zone = any($1::text[])`,
};
/**
 * Overlapping saves must not lose the latest `missing_at`, the time when canaries (names that must exist) were not
 * found.
 */
const SAVE = {
  name: 'registry_canary_save',
  text: `insert into registry_canaries (source, zone, known, found_at, missing_at, domain) values ($1, $2, $3, $4, $5, $6)
         on conflict (source, zone) do update set known = excluded.known, found_at = excluded.found_at,
           missing_at = greatest(registry_canaries.missing_at, excluded.missing_at), domain = excluded.domain`,
};

@Injectable()
export class CanaryMemoryRepository {
  constructor(private readonly statements: SqlClient) {}

  async recall({ source, zone }: CanaryPlace): Promise<CanaryMemory> {
    const [row] = await this.statements.run<CanaryRow>(SELECT, [source, zone]);
    return row ? toMemory(row) : NO_CANARY_MEMORY;
  }

  async save({ source, zone }: CanaryPlace, { known, foundAt, missingAt, domain }: CanaryMemory): Promise<void> {
    const names = known.map((one) => ({ domain: one.domain, found_at: one.foundAt }));
    await this.statements.run(SAVE, [source, zone, JSON.stringify(names), foundAt, missingAt, domain]);
  }

  async findIn(zones: readonly string[]): Promise<readonly (CanaryPlace & { readonly memory: CanaryMemory })[]> {
    const rows = await this.statements.run<CanaryRow>(SELECT_IN, [zones]);
    return rows.map((row) => ({ source: row.source, zone: row.zone, memory: toMemory(row) }));
  }
}

function toMemory({ known, foundAt, missingAt, domain }: CanaryRow): CanaryMemory {
  const names = known.map((one) => ({ domain: one.domain, foundAt: new Date(one.found_at) }));
  return { known: names, foundAt, missingAt, domain };
}
