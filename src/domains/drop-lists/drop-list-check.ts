import { domainToASCII } from 'node:url';
import { after, DAY } from '../../kernel/clock.js';
import { DROP_LIST_RULES, type DropListId, type DropListing } from '../domain/deletion/drop-listing.js';
import { DropListInvalid, type DropListRow } from './drop-list-rows.js';

/** Nominet's schedule has some 270 000 names. */
const MAX_ROWS = 3_000_000;
/** No registry plans further ahead; Nominet's list reaches 65 days, Internetstiftelsen's some months. */
const MAX_DAYS_AHEAD = 400;
const ASCII_DOMAIN = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/**
 * The rows of a list whose time is to come. A list with a row that cannot be true is not used at all: who knows what
 * else it has got wrong?
 *
 * @throws DropListInvalid also at the end, when the list ends in the past: it is an old one.
 */
export async function* checkRows(
  rows: AsyncIterable<DropListRow>,
  list: DropListId,
  now: Date,
): AsyncGenerator<DropListing> {
  const [ending, furthest] = [`.${DROP_LIST_RULES[list].tld}`, after(now, MAX_DAYS_AHEAD * DAY)];
  let [count, upcoming] = [0, 0];
  for await (const { domain: text, dropAt } of rows) {
    count += 1;
    if (count > MAX_ROWS) throw new DropListInvalid(`more than ${MAX_ROWS} rows`);
    const domain = toAscii(text);
    if (!ASCII_DOMAIN.test(domain) || !domain.endsWith(ending))
      throw new DropListInvalid(`row ${count} has no name that ends with ${ending}`);
    if (!(dropAt <= furthest)) throw new DropListInvalid(`row ${count} has no date that can be true`);
    if (dropAt <= now) continue;
    upcoming += 1;
    yield { domain, list, dropAt };
  }
  if (upcoming === 0) throw new DropListInvalid(`all of its ${count} names were due in the past`);
}

function toAscii(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '');
  return ASCII_DOMAIN.test(name) ? name : domainToASCII(name);
}
