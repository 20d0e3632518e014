import {
  type ChangeManyBody,
  type ChangeManyEntriesData,
  changeManyEntries,
  type Client,
  type ManyEntries,
  type Problem,
  removeManyEntries,
} from '../../../../clients/typescript/src/index.js';
import { call, type Failure, type Outcome, toFailure } from '../../api/call.js';
import { readJsonLines } from '../../api/json-lines.js';
import { type ListQuery, toApiFilters } from './list-query.js';

type Target = NonNullable<ChangeManyEntriesData['query']>;

/** A change of many entries. A null change removes them. */
export interface ManyAct {
  readonly target: Target;
  readonly change: ChangeManyBody | null;
}

/** Selects all entries that match the list's filters, on all pages. */
export function toTarget(query: ListQuery): Target {
  const filters = toApiFilters(query);
  return Object.keys(filters).length === 0 ? { all: true } : filters;
}

/** Previews a change, and writes nothing. */
export function previewMany(client: Client, act: ManyAct): Promise<Outcome<ManyEntries>> {
  return send(client, act, { dry_run: true }, 'application/json') as Promise<Outcome<ManyEntries>>;
}

type Message = { readonly done: number; readonly matched: number } | ManyEntries | Problem;

/**
 * Changes the entries. The service reports its progress.
 * @param expect the number of entries that the person saw; another number refuses the change; null allows any
 */
export async function runMany(
  client: Client,
  act: ManyAct,
  expect: number | null,
  onProgress: (done: number) => void,
): Promise<Outcome<ManyEntries>> {
  const outcome = await send(client, act, expect === null ? {} : { expect }, 'application/x-ndjson');
  if (!outcome.ok) return outcome;
  let last = 0;
  try {
    for await (const message of readJsonLines<Message>(outcome.data as ReadableStream<Uint8Array<ArrayBuffer>>)) {
      if ('request_id' in message) return { ok: false, failure: toFailure(message) };
      if ('dry_run' in message) return { ok: true, data: message };
      onProgress((last = message.done));
    }
  } catch {
    // The connection broke, so the failure below applies.
  }
  return { ok: false, failure: interrupted(last) };
}

const PARSED_AS = { 'application/json': 'json', 'application/x-ndjson': 'stream' } as const;

function send(
  client: Client,
  { target, change }: ManyAct,
  how: { readonly dry_run?: true; readonly expect?: number },
  accept: keyof typeof PARSED_AS,
): Promise<Outcome<unknown>> {
  const request = { client, query: { ...target, ...how }, headers: { Accept: accept }, parseAs: PARSED_AS[accept] };
  return change === null
    ? call<unknown>(removeManyEntries(request))
    : call<unknown>(changeManyEntries({ ...request, body: change }));
}

function interrupted(done: number): Failure {
  const detail = `${done.toLocaleString('en')} names are done. Do it again: that is safe, and does the rest.`;
  return { title: 'It was interrupted', detail, code: null, requestId: null, isRetryable: true, fields: [] };
}
