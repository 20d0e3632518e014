import type { CleanupStack } from '../cleanup.js';
import { load } from '../load.js';
import { startLongList } from '../long-list.js';

const ENTRIES = 1_000;

/** A process of role `api` with a watchlist. @returns what lists it for so many seconds, and how many pages it read */
export async function startListPages(closing: CleanupStack): Promise<(seconds: number) => Promise<number>> {
  const { address, headers } = await startLongList(closing, ENTRIES);
  const pages = { url: `${address}/v1/watchlist?per_page=20`, headers };
  return async (seconds) => Math.round((await load(pages, seconds)).rate * seconds);
}
