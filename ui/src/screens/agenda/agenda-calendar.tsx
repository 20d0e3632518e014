import { levelOf, shortCount } from '../../pictures/scales.js';
import { type AgendaItem, countsByDay, type DayCount, monthsOf, type Span } from './agenda.js';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const month = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });

/** Shows the months of a span. A day with events links to its place in the list. */
export function AgendaCalendar({ items, span }: { items: readonly AgendaItem[]; span: Span }) {
  const counts = countsByDay(items);
  const most = Math.max(0, ...[...counts.values()].map(totalOf));
  const listedOn = new Map(
    [...items].reverse().flatMap(({ days }) => days.map((day) => [day, days[0] ?? day] as const)),
  );
  return (
    <section aria-labelledby="calendar">
      <h2 id="calendar" class="visually-hidden">
        Calendar
      </h2>
      <ul class="agenda-legend">
        <li>
          <span class="agenda-level" data-level="1" /> few
        </li>
        <li>
          <span class="agenda-level" data-level="4" /> many names on a day
        </li>
        <li>
          <span class="agenda-mark" data-kind="drop" /> one may drop
        </li>
      </ul>
      <div class="agenda-months" role="region" aria-label="Months" tabIndex={0}>
        {monthsOf(span).map(({ month: name, weeks }) => (
          <table key={name} class="agenda-month">
            <caption>{month.format(new Date(name))}</caption>
            <thead>
              <tr>
                {WEEKDAYS.map((weekday) => (
                  <th key={weekday} scope="col">
                    <abbr title={weekday}>{weekday.slice(0, 2)}</abbr>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week, index) => (
                <tr key={index}>
                  {week.map((day, weekday) => (
                    <td key={weekday} data-today={day === span.from} data-outside={day !== null && !isIn(day, span)}>
                      {day !== null && (
                        <Day day={day} count={counts.get(day)} most={most} listedOn={listedOn.get(day) ?? day} />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </section>
  );
}

interface DayProps {
  readonly day: string;
  readonly count: Readonly<DayCount> | undefined;
  /** The number of events on the fullest day. */
  readonly most: number;
  /** The list's day that this cell links to. A drop is listed on the first day of its window. */
  readonly listedOn: string;
}

function totalOf({ expiry, renewal, drop, guess }: Readonly<DayCount>): number {
  return expiry + renewal + drop + guess;
}

function Day({ day, count, most, listedOn }: DayProps) {
  const number = Number(day.slice(8));
  if (count === undefined) return <span class="agenda-day">{number}</span>;
  const drops = count.drop + count.guess;
  const words = [
    countWords(count.expiry, 'expiry', 'expiries'),
    countWords(count.renewal, 'renewal', 'renewals'),
    countWords(drops, 'possible drop', 'possible drops'),
  ];
  const label = `${dayAndMonth.format(new Date(day))}: ${words.filter((word) => word !== '').join(', ')}`;
  return (
    <button
      type="button"
      class="agenda-day agenda-level"
      data-level={levelOf(totalOf(count), most)}
      title={label}
      onClick={() => goToDay(listedOn)}
    >
      <span class="visually-hidden">{label}</span>
      <span aria-hidden="true">{number}</span>
      <span class="agenda-count" aria-hidden="true">
        {shortCount(totalOf(count))} {drops > 0 && <span class="agenda-mark" data-kind="drop" />}
      </span>
    </button>
  );
}

function countWords(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
}

function isIn(day: string, { from, before }: Span): boolean {
  return day >= from && day < before;
}

export function dayHeadingId(day: string): string {
  return `day-${day}`;
}

function goToDay(day: string): void {
  document.getElementById(dayHeadingId(day))?.focus();
}
