import type { ChannelDetails } from '../../../../clients/typescript/src/index.js';

export type Summary = NonNullable<ChannelDetails['summary']>;

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Returns a text such as `every Monday at 08:00 (Europe/Berlin)`. */
export function summaryText({ every, on, at, zone }: Summary): string {
  const day = every === 'week' ? `every ${WEEKDAYS[on - 1] ?? 'week'}` : `on day ${on} of every month`;
  return `${day} at ${at} (${zone})`;
}

/** Returns the form's first values: Monday morning in the reader's time zone. */
export function defaultSummary(): Summary {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { every: 'week', on: 1, at: '08:00', zone, send_empty: false };
}
