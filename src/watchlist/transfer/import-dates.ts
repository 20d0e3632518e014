import { InvalidRequest } from '../../platform/http/errors/invalid-request.js';

export const DATE_FORMATS = ['dmy', 'mdy'] as const;
/** Whether the day or the month comes first in `1/5/2027`. */
export type DateFormat = (typeof DATE_FORMATS)[number];

const TIME = /[T ,]+\d{1,2}:\d{2}.*$/;
const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?$/;
const PACKED = /^(\d{4})(\d{2})(\d{2})$/;
/** Countries that write dates with dots put the day first. */
const DOTTED = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/;
const EITHER = /^(\d{1,2})([/-])(\d{1,2})\2(\d{4})$/;
const DAY_MONTH_NAME = /^(\d{1,2})[-. ]+([a-z]{3,9})[-., ]+(\d{4})$/i;
const MONTH_NAME_DAY = /^([a-z]{3,9})[. ]+(\d{1,2}),? +(\d{4})$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Matches spreadsheet dates (days since the end of 1899) of the years 1954 to 2119. */
const SERIAL = /^[2-7]\d{4}(?:\.\d+)?$/;
const DAYS_TO_1970 = 25_569;
const DAY_MS = 86_400_000;
const NONE = /^(?:-+|n\/?a|none|never|unknown|null|0000-00-00)$/i;

/** Returns `YYYY-MM-DD`, an empty text for `none` and the like, or the cell itself if it is not a date. */
export function parseDate(cell: string, format: DateFormat | null): string {
  const text = cell.trim().replace(TIME, '');
  if (NONE.test(text)) return '';
  if (SERIAL.test(text)) return new Date((Math.floor(Number(text)) - DAYS_TO_1970) * DAY_MS).toISOString().slice(0, 10);
  const [year, month, day] = findParts(text, format) ?? [];
  if (year === undefined || month === undefined || day === undefined || month < 1) return cell;
  return [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

function findParts(text: string, format: DateFormat | null): readonly number[] | null {
  const yearFirst = YEAR_FIRST.exec(text) ?? PACKED.exec(text);
  if (yearFirst) return yearFirst.slice(1).map(Number);
  const dotted = DOTTED.exec(text);
  if (dotted) return dotted.slice(1).map(Number).toReversed();
  const [, first, , second, year] = EITHER.exec(text) ?? [];
  if (first !== undefined) {
    const parts = [Number(first), Number(second)];
    return [Number(year), ...((format ?? orderOf(text)) === 'mdy' ? parts : parts.toReversed())];
  }
  const [, day, name, inYear] = DAY_MONTH_NAME.exec(text) ?? [];
  if (name !== undefined) return [Number(inYear), monthOf(name), Number(day)];
  const [, named, ofDay, ofYear] = MONTH_NAME_DAY.exec(text) ?? [];
  return named === undefined ? null : [Number(ofYear), monthOf(named), Number(ofDay)];
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Returns `any` if the order makes no difference, and null if both orders are possible but give different dates. */
function orderOf(text: string): DateFormat | 'any' | null {
  const [, first, , second] = EITHER.exec(text.trim().replace(TIME, '')) ?? [];
  if (first === undefined || Number(first) === Number(second)) return 'any';
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : null;
}

/** Finds the order of day and month from all dates of a file: a single date may fit both orders. */
export class DateOrder {
  private readonly said = new Set<DateFormat>();
  private unclear: string | null = null;

  see(cell: string): void {
    const order = orderOf(cell);
    if (order === null) this.unclear ??= cell.trim();
    else if (order !== 'any') this.said.add(order);
  }

  /** @throws InvalidRequest if a date fits both orders and no other date decides */
  decide(): DateFormat | null {
    const [only = null, other] = this.said;
    if (this.unclear === null) return other === undefined ? only : null;
    if (only !== null && other === undefined) return only;
    const message =
      `Dates such as ${this.unclear.slice(0, 20)} may begin with the day or with the month: ` +
      'say date_format=dmy (the day) or date_format=mdy (the month).';
    throw InvalidRequest.of([{ pointer: '#query/date_format', code: 'ambiguous', message }]);
  }
}
