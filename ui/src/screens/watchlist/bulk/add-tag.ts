import {
  changeWatchlistEntry,
  type Client,
  type ExpandedEntry,
  getWatchlistEntry,
} from '../../../../../clients/typescript/src/index.js';
import { call, type Outcome } from '../../../api/call.js';
import { onlyIfSame, withVersion } from '../../../api/versioned.js';

/** Adds a tag to those that the entry has now, so that a tag which was added elsewhere meanwhile stays. */
export async function addTag(client: Client, { id }: ExpandedEntry, tag: string): Promise<Outcome<unknown>> {
  const path = { id };
  const read = await call(withVersion(getWatchlistEntry({ client, path })));
  if (!read.ok) return read;
  const { value, etag } = read.data;
  if (value.tags.includes(tag)) return { ok: true, data: value };
  const tags = [...value.tags, tag];
  return call(changeWatchlistEntry({ client, path, headers: onlyIfSame(etag), body: { tags } }));
}
