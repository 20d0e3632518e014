import { useEffect, useState } from 'preact/hooks';
import { describeDay, describeDistance, describeInstant, describeSecond, nearness } from './time-text.js';

/** Returns the current time, and renders the component again at each interval. */
export function useNow(intervalMs = 15_000): Date {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((drawn) => drawn + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return new Date();
}

interface WhenProps {
  /** A time of the API. Shows `otherwise` if null. */
  readonly at: string | null;
  readonly otherwise?: string;
  readonly show?: 'distance' | 'instant' | 'second' | 'day';
  /** Whether the event has happened. It is then never shown in the future, even if the browser's clock is slow. */
  readonly isPast?: boolean;
}

/** Shows a distance such as `2 days ago`, with the exact time in its tooltip. */
export function When({ at, otherwise = '–', show = 'distance', isPast = false }: WhenProps) {
  const now = useNow();
  if (at === null) return <span class="muted">{otherwise}</span>;
  const date = new Date(at);
  const exact = describeSecond(date);
  const texts = {
    distance: () => (isPast && date >= now ? 'just now' : describeDistance(date, now)),
    instant: () => describeInstant(date),
    second: () => exact,
    day: () => describeDay(date),
  };
  return (
    <time dateTime={at} title={exact}>
      {texts[show]()}
    </time>
  );
}

/** Shows how far away an expiry is, with a colour for its nearness and the day in its tooltip. */
export function ExpiryText({ at }: { readonly at: string | null }) {
  const now = useNow();
  if (at === null) return <span class="muted">–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={describeDay(date)} class="expiry" data-near={nearness(date, now)}>
      {describeDistance(date, now)}
    </time>
  );
}
