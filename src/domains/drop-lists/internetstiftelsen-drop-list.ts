import { isTooDeep } from '../../platform/http/validation/json-depth.js';
import { DropListInvalid, type DropListRow, readText } from './drop-list-rows.js';

/** "At 04:00 UTC at the earliest", on the date of the list (internetstiftelsen.se). */
const FIRST_RELEASE = 'T04:00:00Z';

/** Internetstiftelsen's lists of .se and .nu: `{"data": [{"name": "example.se", "release_at": "2026-12-01"}]}`. */
export async function* readInternetstiftelsenDropList(body: Buffer): AsyncGenerator<DropListRow> {
  const { data } = parseObject(await readText(body));
  if (!Array.isArray(data)) throw new DropListInvalid('without a list in "data"');
  for (const row of data as readonly unknown[]) {
    const { name, release_at: date } = (row ?? {}) as { name?: unknown; release_at?: unknown };
    if (typeof name !== 'string' || typeof date !== 'string') throw new DropListInvalid('a row without name or date');
    yield { domain: name, dropAt: new Date(`${date}${FIRST_RELEASE}`) };
  }
}

function parseObject(text: string): { data?: unknown } {
  if (isTooDeep(text)) throw new DropListInvalid('nested too deep');
  try {
    return Object(JSON.parse(text)) as { data?: unknown };
  } catch (cause) {
    throw new DropListInvalid(`not JSON, or not whole: ${(cause as Error).message}`, { cause });
  }
}
