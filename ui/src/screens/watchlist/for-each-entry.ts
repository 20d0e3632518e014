import { type Failure, type Outcome, toFailure } from '../../api/call.js';

/** The number of parallel requests. A browser opens six connections to a service, and the event stream uses one. */
const AT_A_TIME = 4;

interface BulkOutcome {
  readonly done: number;
  readonly failed: readonly { readonly domain: string; readonly failure: Failure }[];
}

/** Applies an act to several entries. A failure for one entry does not stop the others. */
export async function forEachEntry<Entry extends { readonly domain: string }>(
  entries: readonly Entry[],
  act: (entry: Entry) => Promise<Outcome<unknown>>,
): Promise<BulkOutcome> {
  const failed: BulkOutcome['failed'][number][] = [];
  const waiting = [...entries];
  const work = async () => {
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      const outcome = await act(entry).catch((error: unknown) => ({ ok: false, failure: toFailure(error) }) as const);
      if (!outcome.ok) failed.push({ domain: entry.domain, failure: outcome.failure });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return { done: entries.length - failed.length, failed };
}

/** Returns a text such as `3 names are paused`, or `2 names are paused. Not a.example: The plan …`. */
export function bulkText({ done, failed }: BulkOutcome, what: string): string {
  const [first] = failed;
  const success = `${countNames(done)} ${done === 1 ? 'is' : 'are'} ${what}`;
  if (!first) return success;
  const others = failed.length === 1 ? '' : ` and ${failed.length - 1} more`;
  return `${success}. Not ${first.domain}${others}: ${first.failure.detail || first.failure.title}`;
}

export function countNames(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'name' : 'names'}`;
}
