import { type DropListRow, readCsv } from './drop-list-rows.js';

/**
 * Nominet's list of .uk: a gzipped CSV with the ROID, the domain and the drop time in UTC of each name, for about 65 days
 * (registrars.nominet.uk/drop-lists; columns `roid,domain,drop_time` as seen in public readers of the file, 2026-10).
 */
export async function* readNominetDropList(body: Buffer): AsyncGenerator<DropListRow> {
  for await (const { domain = '', drop_time: time = '' } of readCsv(body, ['domain', 'drop_time']))
    yield { domain, dropAt: new Date(hasZone(time) ? time : `${time.replace(' ', 'T')}Z`) };
}

function hasZone(time: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time);
}
