import { IsISO8601 } from 'class-validator';
import { SINGLE_LINE_PATTERN, TextField } from '../../platform/http/validation/fields.js';

const A_DAY = 'a day such as 2027-03-01';

export const REMIND_DAYS = {
  items: { minimum: 1, maximum: 365 },
  maxItems: 10,
  uniqueItems: true,
  example: [90, 30, 7],
  description:
    'Days before the expiry at which `watchlist.expiring` is sent, in any order; independent of `expiring_window_days`, ' +
    'which sets the status. An empty list: no reminders. The default is 60, 30, 14, 7, 3 and 1.',
  optional: true,
} as const;

export const RENEWAL = {
  example: { on: '2027-03-01', note: 'Invoice of the registrar.' },
  description:
    'When you have to renew. Reminders run on it where the registry publishes no expiry date; no status ever does. The ' +
    'note is part of the notification. A PATCH replaces it as a whole.',
  optional: true,
} as const;

export class RenewalBody {
  @TextField({ format: 'date', pattern: '^2\\d{3}-\\d{2}-\\d{2}$', expected: A_DAY })
  @IsISO8601({ strict: true }, { message: `on must be ${A_DAY}` })
  on: string;

  /** One line: it is part of notifications. */
  @TextField({ maxLength: 200, nullable: true, pattern: SINGLE_LINE_PATTERN, optional: true })
  note?: string | null;
}
