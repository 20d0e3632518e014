import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { DropListId, DropListing } from '../../../../src/domains/domain/deletion/expiry-forecast.js';
import {
  DELETED_CYCLE_MS,
  EXPIRED_CYCLE_MS,
  readAudaDropList,
  checkRows,
  type DropListRow,
  readInternetstiftelsenDropList,
  readNominetDropList,
} from '../../../../src/domains/drop-lists/drop-list-formats.js';
import { australianList, nominetList, swedishList } from '../../../support/builders/drop-lists.js';

const now = new Date('2026-11-22T12:00:00Z');
const read = async (rows: AsyncIterable<DropListRow>, list: DropListId) => {
  const listings: DropListing[] = [];
  for await (const listing of checkRows(rows, list, now)) listings.push(listing);
  return listings.map(({ domain, dropAt }) => [domain, dropAt.toISOString()]);
};
const nominet = (body: Buffer) => read(readNominetDropList(body), 'uk');
const swedish = (body: Buffer) => read(readInternetstiftelsenDropList(body), 'se');
const expired = (body: Buffer) => read(readAudaDropList(body, EXPIRED_CYCLE_MS), 'au_expired');
const deleted = (body: Buffer) => read(readAudaDropList(body, DELETED_CYCLE_MS), 'au_deleted');

describe("Nominet's drop list for .uk", () => {
  it('gives the drop time of each name', async () => {
    const list = nominetList(['one.co.uk', '2026-11-23T09:14:31Z'], ['two.uk', '2027-01-20 00:00:00']);
    expect(await nominet(list)).toEqual([
      ['one.co.uk', '2026-11-23T09:14:31.000Z'],
      ['two.uk', '2027-01-20T00:00:00.000Z'],
    ]);
  });

  it('is read with its columns in another order and without gzip compression', async () => {
    const list = Buffer.from('Drop Time,Domain,Registrar\r\n2026-11-23T09:14:31Z,ONE.CO.UK,x\r\n');
    expect(await nominet(list)).toEqual([['one.co.uk', '2026-11-23T09:14:31.000Z']]);
  });

  it('leaves out names whose drop time is past', async () => {
    const list = nominetList(['old.uk', '2026-11-22T11:59:59Z'], ['new.uk', '2026-11-23T00:00:00Z']);
    expect(await nominet(list)).toHaveLength(1);
  });
});

describe("Internetstiftelsen's drop list for .se", () => {
  it('gives the release day of each name, which is read as 04:00 UTC', async () => {
    const list = swedishList(['ett.se', '2026-12-01'], ['åtta.se', '2026-12-02'], ['xn--tta-tla.se.', '2026-12-03']);
    expect(await swedish(list)).toEqual([
      ['ett.se', '2026-12-01T04:00:00.000Z'],
      ['xn--tta-tla.se', '2026-12-02T04:00:00.000Z'],
      ['xn--tta-tla.se', '2026-12-03T04:00:00.000Z'],
    ]);
  });
});

describe("auDA's drop lists for .au", () => {
  it('turn the eligibility time of a name into the time of the next daily purge', async () => {
    // The example of auDA's page: 16/12 15:04:50 UTC is 01:04:50 AEST of the 17th, purged at 13:00 AEST that day.
    const list = australianList(
      ['16/12/2026', '15:04:50', 'deletedexample.net.au'],
      ['2026-12-17', '03:10:00', 'b.au'],
    );
    expect(await deleted(list)).toEqual([
      ['deletedexample.net.au', '2026-12-17T03:00:00.000Z'],
      ['b.au', '2026-12-18T03:00:00.000Z'],
    ]);
    expect(await expired(list)).toEqual([
      ['deletedexample.net.au', '2026-12-17T03:30:00.000Z'],
      ['b.au', '2026-12-17T03:30:00.000Z'],
    ]);
  });

  it('turn an eligibility time exactly at a purge into the time of the following purge', async () => {
    expect(await deleted(australianList(['2026-12-17', '03:00:00', 'b.au']))).toEqual([
      ['b.au', '2026-12-18T03:00:00.000Z'],
    ]);
  });
});

describe('a drop list', () => {
  const good = nominetList(['one.co.uk', '2026-11-23T09:14:31Z']);
  const gigabyte = gzipSync(Buffer.alloc(140 * 1_024 * 1_024, 'roid,domain,drop_time\n'));

  it.each([
    ['half a gzip file', () => nominet(good.subarray(0, good.length / 2)), /not whole/],
    ['a small file that inflates to 140 MB', () => nominet(gigabyte), /when inflated|no name/],
    ['HTML in place of CSV', () => nominet(Buffer.from('<html>Moved</html>')), /without the column domain, drop_time/],
    ['an empty file', () => nominet(Buffer.alloc(0)), /all of its 0 names/],
    ['a row with too few cells', () => nominet(Buffer.from('domain,drop_time\na.uk')), /CSV/],
    ['a row that is too long', () => nominet(Buffer.from(`domain,drop_time\n${'a'.repeat(9_000)}`)), /CSV/],
    ['a name of another TLD', () => nominet(nominetList(['a.com', '2026-11-23T00:00:00Z'])), /ends with \.uk/],
    ['a malformed name', () => nominet(nominetList(['a b.uk', '2026-11-23T00:00:00Z'])), /ends with \.uk/],
    ['a malformed date', () => nominet(nominetList(['a.uk', 'tomorrow'])), /date/],
    ['a date in ten years', () => nominet(nominetList(['a.uk', '2036-11-23T00:00:00Z'])), /date/],
    ['a list from a year ago', () => nominet(nominetList(['a.uk', '2025-11-23T00:00:00Z'])), /past/],
    ['half a JSON file', () => swedish(swedishList(['a.se', '2026-12-01']).subarray(0, 30)), /not JSON/],
    ['the JSON value null', () => swedish(Buffer.from('null')), /"data"/],
    ['JSON nested too deeply', () => swedish(Buffer.from('['.repeat(100_000))), /deep/],
    ['a JSON row without a date', () => swedish(Buffer.from('{"data":[{"name":"a.se"}]}')), /row/],
    ['a JSON row that is null', () => swedish(Buffer.from('{"data":[null]}')), /row/],
  ])('is refused as a whole: %s', async (_, reading, problem) => {
    await expect(reading()).rejects.toThrow(problem);
  });
});
