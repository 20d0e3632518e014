import { isPlausibleDate } from '../answer-text/registry-date.js';

/** Prefixes of month names, without those that mean different months in two languages (`listopad`, `srpna`). */
const MONTHS = [
  ['jan', 'ene', 'janv', 'gen', 'led', 'янв', 'oca'],
  ['feb', 'fev', 'fév', 'févr', 'úno', 'фев', 'şub'],
  ['mar', 'mrz', 'mär', 'mars', 'maer', 'maa', 'мар'],
  ['apr', 'abr', 'avr', 'avril', 'апр', 'nis'],
  ['may', 'mai', 'mag', 'maj', 'mei', 'kvě', 'май', 'мая'],
  ['jun', 'juin', 'giu', 'juni', 'июн', 'haz'],
  ['jul', 'juil', 'lug', 'juli', 'июл', 'tem'],
  ['aug', 'ago', 'aoû', 'aout', 'août', 'авг', 'ağu'],
  ['sep', 'set', 'sept', 'sett', 'сен', 'eyl'],
  ['oct', 'okt', 'out', 'ott', 'окт', 'eki'],
  ['nov', 'ноя', 'kas'],
  ['dec', 'dez', 'dic', 'déc', 'des', 'дек', 'ara'],
];
const MONTH_BY_NAME = new Map(MONTHS.flatMap((names, at) => names.map((name) => [name, at + 1] as const)));

function monthNumber(name: string): number | undefined {
  const lower = name.toLocaleLowerCase('en').replace(/\.$/, '');
  return MONTH_BY_NAME.get(lower.slice(0, 4)) ?? MONTH_BY_NAME.get(lower.slice(0, 3));
}

export type DateOrder = 'day-first' | 'month-first';

/** Abbreviations of time zones with a single meaning. Ambiguous abbreviations (BST, IST, CST) count as UTC. */
const ZONE_OFFSET_MINUTES: Readonly<Record<string, number>> = {
  wat: 60,
  eat: 180,
  cat: 120,
  sast: 120,
  hkt: 480,
  sgt: 480,
  aest: 600,
  nzst: 720,
  nzdt: 780,
  brt: -180,
  clt: -240,
  clst: -180,
  jst: 540,
  kst: 540,
  cet: 60,
  cest: 120,
  eet: 120,
  eest: 180,
  msk: 180,
};

const TIME = /(?<![\d-])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s?([ap])\.?m\b\.?)?/i;
/** An offset takes precedence over zone names: `-07:00Z`, `+0800 CST`, `(UTC+8) Taipei`. */
const OFFSET = /(?<![\d-])([+-])(\d{1,2}):?(\d{2})?(?![-\d])/;
const YEAR_FIRST = /(?<!\d)(\d{4})\s?[-/.年]\s?(\d{1,2}|\p{L}{3,4})\s?[-/.月]\s?(\d{1,2})(?!\d)/u;
/** Matches dates without separators, also after a handle: `EXAMPLE-UANIC 20270601102030`. */
const COMPACT = /^(?:[A-Z\d-]*[A-Z][A-Z\d-]*\s+)?(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?(?!\d)/;
const NUMBERS = /(?<!\d)(\d{1,2})([-/.])\s?(\d{1,2})[-/.]\s?(\d{4})(?!\d)/;
const DAY_NAME = /(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?[-/. ]*(?:de |of )?(\p{L}{3,10})\.?[-/., ]*(?:de )?(\d{4})(?!\d)/u;
/** Matches Oracle's default form, `01-JUN-27`. In `01-06-27`, the year would be ambiguous. */
const SHORT_YEAR = /^(\d{1,2})-(\p{L}{3})-(\d{2})(?![-\d])/u;
const NAME_DAY =
  /(?<!\p{L})(\p{L}{3,10})\.?[- ]+(\d{1,2})(?:st|nd|rd|th)?,?[- ]+(?:\d{1,2}:\d{2}(?::\d{2})?\s*[A-Z+:\d-]{0,9}\s+)?(\d{4})(?!\d)/u;

/**
 * Returns null for unknown formats and dates such as February 30, because a wrong date is worse than none.
 * @param order of day and month; without an order, dates such as 03/04/2027 give null
 */
export function parseWhoisDate(text: string, order: DateOrder | null): Date | null {
  const day = parseDay(text.trim().slice(0, 80), order);
  if (!day) return null;
  const { year, month, date, rest } = day;
  const [, hour = '0', minute = '0', second = '0', fraction = '', half] = TIME.exec(rest) ?? [];
  const time = [toHour24(hour, half), Number(minute), Math.min(Number(second), 59)] as const;
  const utc = new Date(Date.UTC(year, month - 1, date, ...time, Number(fraction.slice(0, 3).padEnd(3, '0'))));
  const isKept = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === date && time[0] < 24 && time[1] < 60;
  if (!isKept) return null;
  const instant = new Date(utc.getTime() - utcOffsetMinutes(rest) * 60_000);
  return isPlausibleDate(instant) ? instant : null;
}

function toHour24(hour: string, half: string | undefined): number {
  return half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

/** Returns the order of day and month. A date like 27/05/1999 reveals the order, or a text states it (`dd/mm/yyyy`). */
export function detectDateOrder(texts: readonly string[]): DateOrder | null {
  for (const text of texts) {
    if (/\b(dd|jj)[-/.]mm[-/.](yyyy|aaaa)\b/i.test(text)) return 'day-first';
    if (/\bmm[-/.]dd[-/.]yyyy\b/i.test(text)) return 'month-first';
    const [, one, , other] = NUMBERS.exec(text) ?? [];
    if (Number(one) > 12 && Number(other) <= 12) return 'day-first';
    if (Number(other) > 12 && Number(one) <= 12) return 'month-first';
  }
  return null;
}

interface Day {
  readonly year: number;
  readonly month: number;
  readonly date: number;
  /** The rest of the text after the date, perhaps a time and a zone. */
  readonly rest: string;
}

function parseDay(text: string, order: DateOrder | null): Day | null {
  const [compact, year, month, date, ...time] = COMPACT.exec(text) ?? [];
  if (compact !== undefined) {
    const clock = time[0] === undefined ? '' : `${time.join(':')} `;
    return toDay(year, month, date, clock + text.slice(compact.length));
  }
  const first = YEAR_FIRST.exec(text);
  if (first) return toDay(first[1], first[2], first[3], withoutPart(text, first[0]));
  const numbers = NUMBERS.exec(text);
  if (numbers) return parseNumericDay(numbers, order, withoutPart(text, numbers[0]));
  const spelt = DAY_NAME.exec(text);
  if (spelt && monthNumber(spelt[2] ?? '')) return toDay(spelt[3], spelt[2], spelt[1], withoutPart(text, spelt[0]));
  const [short, shortDate, shortMonth, shortYear] = SHORT_YEAR.exec(text) ?? [];
  if (short !== undefined) return toDay(`20${shortYear}`, shortMonth, shortDate, withoutPart(text, short));
  const american = NAME_DAY.exec(text);
  if (american) return toDay(american[3], american[1], american[2], text.replace(/\d{4}\s*$/, ''));
  return null;
}

/**
 * If the order is unknown, dots and hyphens mean that the day comes first. With slashes, a date such as 03/04/2027
 * gives null.
 */
function parseNumericDay(
  [, one, mark, other, year]: RegExpExecArray,
  order: DateOrder | null,
  rest: string,
): Day | null {
  const isEither = Number(one) <= 12 && Number(other) <= 12;
  if (!isEither) return Number(one) > 12 ? toDay(year, other, one, rest) : toDay(year, one, other, rest);
  if (order === null && mark === '/' && Number(one) !== Number(other)) return null;
  return order === 'month-first' ? toDay(year, one, other, rest) : toDay(year, other, one, rest);
}

function toDay(year = '', month = '', date = '', rest: string): Day | null {
  const number = /^\d+$/.test(month) ? Number(month) : monthNumber(month);
  return number ? { year: Number(year), month: number, date: Number(date), rest } : null;
}

function withoutPart(text: string, part: string): string {
  const at = text.indexOf(part);
  return `${text.slice(0, at)} ${text.slice(at + part.length).replace(/^T(?=\d)/, '')}`;
}

function utcOffsetMinutes(rest: string): number {
  const at = rest.search(TIME);
  if (at < 0) return 0;
  const after = rest.slice(at).replace(TIME, '');
  const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(after) ?? [];
  if (sign !== undefined && Number(hours) < 15) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return ZONE_OFFSET_MINUTES[/\p{L}+/u.exec(after)?.[0]?.toLowerCase() ?? ''] ?? 0;
}
