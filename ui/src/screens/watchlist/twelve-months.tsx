import { useId } from 'preact/hooks';
import { type MonthCount, toMonthBars } from '../../pictures/month-bars.js';
import { countOf, shortCount } from '../../pictures/scales.js';

const ROOM = 100;

interface TwelveMonthsProps {
  readonly months: readonly MonthCount[];
  /** The address of the list that a bar links to. */
  readonly pathOf: (month: string) => string;
  readonly chosen: string | null;
}

/** Shows the expiries of each month, with the account's own domains darker. Each bar links to its names. */
export function TwelveMonths({ months, pathOf, chosen }: TwelveMonthsProps) {
  const id = useId();
  const bars = toMonthBars(months, ROOM);
  const total = bars.reduce((sum, bar) => sum + bar.total, 0);
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>Next twelve months</h2>
        <p class="muted">{total === 0 ? 'nothing expires' : `${countOf(total, 'name')} expire`}</p>
      </div>
      <ol class="month-bars">
        {bars.map(({ month, label, year, total: count, height, ownHeight, text }) => (
          <li key={month}>
            <a href={pathOf(month)} class="month-bar" title={text} aria-current={chosen === month ? 'true' : undefined}>
              <span class="visually-hidden">{text}</span>
              <span class="month-count" aria-hidden="true">
                {count > 0 && shortCount(count)}
              </span>
              <svg viewBox={`0 0 10 ${ROOM}`} preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar-other" x="0" width="10" y={ROOM - height} height={height} />
                <rect class="bar-own" x="0" width="10" y={ROOM - ownHeight} height={ownHeight} />
              </svg>
              <span class="month-label" aria-hidden="true">
                {label} {year !== null && <span class="month-year">’{year.slice(2)}</span>}
              </span>
            </a>
          </li>
        ))}
      </ol>
      <p class="picture-key muted">
        <span class="key-own" aria-hidden="true" /> Yours <span class="key-other" aria-hidden="true" /> Others
      </p>
    </section>
  );
}
