import type { ApiClient } from '../clients/api-client.js';
import type { ListedChange, WatchedEntry } from './final-state.js';

/** The most that one page has; no record changes as often. */
const PER_PAGE = 100;
const TIMEOUT_MS = 120_000;

/** The changes of registration records that the API lists, by entry. @throws when it does not answer */
export async function readListedChanges(
  clients: readonly ApiClient[],
  entries: readonly WatchedEntry[],
): Promise<Map<string, readonly ListedChange[]>> {
  const listed = entries.map(async ({ id, account }) => {
    const path = `/v1/watchlist/${id}/changes?per_page=${PER_PAGE}`;
    const answer = await clients[account]?.call({ method: 'GET', path }, TIMEOUT_MS);
    if (answer?.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(answer)}`);
    return [id, answer.body['data'] as readonly ListedChange[]] as const;
  });
  return new Map(await Promise.all(listed));
}
