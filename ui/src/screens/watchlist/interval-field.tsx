import { useSession } from '../../api/session.js';
import { describeInterval } from './interval-words.js';

interface IntervalFieldProps {
  /** The interval in minutes. It is offered even if the plan no longer has it. */
  readonly value: number;
  readonly onChange: (minutes: number) => void;
}

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
