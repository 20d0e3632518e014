import type { Caller } from '../../auth/index.js';
import type { CheckDomain } from '../../domains/index.js';
import type { DomainName } from '../../domains/language.js';
import { DomainError } from '../../kernel/domain-error.js';
import {
  type EntrySettings,
  type EntrySettingsInput,
  type SettingField,
  withDefaults,
} from '../domain/entry-settings.js';
import { BATCH_SIZE } from '../entries/write-rows.js';

export type ParsedLine = { readonly line: number; readonly domain: string | null } & (
  { readonly settings: EntrySettingsInput; readonly domain: string } | { readonly refusal: DomainError }
);

/** A valid line, with the settings that it gives and all settings that a new entry would have. */
export interface ValidLine {
  readonly line: number;
  readonly name: DomainName;
  readonly given: EntrySettingsInput;
  readonly settings: EntrySettings;
}

export interface FailedLine {
  readonly line: number;
  readonly domain: string | null;
  readonly outcome: 'failed';
  readonly code: string;
  readonly message: string;
  /** The registrable domain of a name that cannot be registered, such as `example.com` of `www.example.com`. */
  readonly registrable_domain?: string;
}

/** In a dry run, a new name has no entry, so `id` is null. */
export type LineOutcome =
  | FailedLine
  | { readonly line: number; readonly domain: string | null; readonly outcome: 'skipped' }
  | {
      readonly line: number;
      readonly domain: string;
      readonly outcome: 'created' | 'existing';
      readonly id: string | null;
    }
  | {
      readonly line: number;
      readonly domain: string;
      readonly outcome: 'changed';
      readonly id: string;
      /** The settings that were changed, by their names in the API. */
      readonly fields: readonly SettingField[];
    };

/** A sync reports an entry that the file lacks as `removed`, or as `unlisted` if the entry is kept. */
export type ImportOutcome =
  | LineOutcome
  | { readonly line: null; readonly domain: string; readonly outcome: 'removed' | 'unlisted'; readonly id: string };

export function validateLine(
  parsed: ParsedLine,
  { plan }: Caller['account'],
  checks: Pick<CheckDomain, 'parse'>,
): ValidLine | FailedLine {
  if ('refusal' in parsed) return failedLine(parsed, parsed.refusal);
  try {
    const { line, settings: given } = parsed;
    return { line, given, name: checks.parse(parsed.domain), settings: withDefaults(given, plan) };
  } catch (error) {
    if (error instanceof DomainError) return failedLine(parsed, error);
    throw error;
  }
}

export function failedLine(
  { line, domain }: Pick<FailedLine, 'line' | 'domain'>,
  { code, message, details = {} }: Pick<DomainError, 'code' | 'message'> & Partial<Pick<DomainError, 'details'>>,
): FailedLine {
  const registrable = details['registrable_domain'];
  const offer = typeof registrable === 'string' && { registrable_domain: registrable };
  return { line, domain, outcome: 'failed', code, message, ...offer };
}

/** Yields batches of lines. Parses the next batch while the current one is written. */
export async function* toBatches(lines: AsyncIterable<ParsedLine>): AsyncGenerator<readonly ParsedLine[], void, void> {
  const batches = inBatches(lines);
  for (let next = batches.next(); ;) {
    const batch = await next;
    if (batch.done === true) return;
    next = batches.next();
    // The `await` above throws this batch's error in the next round. Until then, Node must not report it as unhandled.
    next.catch(() => undefined);
    yield batch.value;
  }
}

async function* inBatches(lines: AsyncIterable<ParsedLine>): AsyncGenerator<readonly ParsedLine[], void, void> {
  let batch: ParsedLine[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** How much work is done before other requests may run: 25 short lines, or fewer long lines. */
const UNITS_PER_TURN = 1_000;
const UNITS_PER_LINE = 40;
const CHARACTERS_PER_UNIT = 32;

/** Lets other requests run after a certain number of cells and characters. */
export class Turns {
  private left = UNITS_PER_TURN;

  async after(cells: readonly string[]): Promise<void> {
    const characters = cells.reduce((sum, { length }) => sum + length, 0);
    this.left -= UNITS_PER_LINE + cells.length + characters / CHARACTERS_PER_UNIT;
    if (this.left > 0) return;
    this.left = UNITS_PER_TURN;
    await new Promise(setImmediate);
  }
}
