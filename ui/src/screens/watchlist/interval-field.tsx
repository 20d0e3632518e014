import { useSession } from '../../api/session.js';

interface IntervalFieldProps {
  /** Minutes; shown also where the plan no longer offers it. */
  readonly value: number;
  readonly onChange: (minutes: number) => void;
}

/** How often a name is checked: the intervals of the account's plan. */
export function IntervalField({ value, onChange }: IntervalFieldProps) {
  const { me } = useSession();
  const intervals = [...new Set([...me.limits.intervals, value])].sort((one, other) => one - other);
  return (
    <label class="field">
      <span class="field-label">Check</span>
      <select value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {intervals.map((minutes) => (
          <option key={minutes} value={minutes}>
            {describeInterval(minutes)}
          </option>
        ))}
      </select>
    </label>
  );
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** `every 5 minutes`, `every hour`, `every 2 days`. */
export function describeInterval(minutes: number): string {
  if (minutes % DAY === 0) return every(minutes / DAY, 'day');
  return minutes % HOUR === 0 ? every(minutes / HOUR, 'hour') : every(minutes, 'minute');
}

function every(count: number, unit: string): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
