import { after, DAY, HOUR, MINUTE } from '../../kernel/clock.js';
import { type DropListRow, readCsv } from './drop-list-rows.js';

/** 13:00 and 13:30 AEST, which is UTC+10 the whole year. */
export const DELETED_CYCLE_MS = 3 * HOUR;
export const EXPIRED_CYCLE_MS = DELETED_CYCLE_MS + 30 * MINUTE;

/**
 * auDA's lists of .au: a CSV with the date and the time (UTC) from which a name may be purged, which happens in the next
 * daily cycle (auda.org.au, "Official Domain Name Drop List"; the page writes dates as 16/12/2021).
 */
export async function* readAudaDropList(body: Buffer, cycleMs: number): AsyncGenerator<DropListRow> {
  const columns = ['date', 'eligible_purge_time', 'domain_name'];
  for await (const { date = '', eligible_purge_time: time = '', domain_name: domain = '' } of readCsv(body, columns))
    yield { domain, dropAt: nextCycle(new Date(`${toIsoDate(date)}T${time}Z`), cycleMs) };
}

function toIsoDate(date: string): string {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(date) ?? [];
  return year === undefined ? date : `${year}-${month}-${day}`;
}

/** A name that becomes eligible in the very moment of a cycle waits for the next one. */
function nextCycle(eligibleAt: Date, cycleMs: number): Date {
  const midnight = Math.floor(eligibleAt.getTime() / DAY) * DAY;
  const cycle = new Date(midnight + cycleMs);
  return eligibleAt < cycle ? cycle : after(cycle, DAY);
}
