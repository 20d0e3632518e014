import { useEffect, useState } from 'preact/hooks';
import { describeDay, describeDistance, describeInstant, describeSecond, nearness } from './time-text.js';

/** The time now, for a component that shows distances; it is drawn again as time goes on. */
export function useNow(intervalMs = 15_000): Date {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((drawn) => drawn + 1), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return new Date();
}

interface WhenProps {
  /** A time of the API; null shows `otherwise`. */
  readonly at: string | null;
  readonly otherwise?: string;
  readonly show?: 'distance' | 'instant' | 'second' | 'day';
  /** Whether it has happened: then it is never in the future, even where the clocks of service and browser differ. */
  readonly isPast?: boolean;
}

/** A time as people say it, with the exact one in its tooltip. */
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

/** When a name expires: how far away, coloured as it comes near, with the day in its tooltip. */
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
