import { ShortText } from '../../components/text.js';
import { describeDay } from '../../components/time-text.js';
import { useNow } from '../../components/when.js';
import type { Stage } from './life-stages.js';

/** Is shown before the first answer: what a new entry starts with is no fact about the name. */
export function UnknownLife() {
  return (
    <section class="card" aria-labelledby="life">
      <h2 id="life">Life</h2>
      <p class="muted">Nothing is known yet: no answer about this name is confirmed.</p>
    </section>
  );
}

/** The life of a name from left to right, or downwards in a narrow window, with today on it. */
export function LifeTimeline({ stages }: { stages: readonly Stage[] }) {
  const now = useNow();
  const isReserved = stages.every(({ state }) => state !== 'current');
  return (
    <section class="card" aria-labelledby="life">
      <div class="card-head">
        <h2 id="life">Life</h2>
        <p class="muted">
          {isReserved
            ? 'The registry keeps this name for itself'
            : 'Dates in your time zone, each with where it comes from'}
        </p>
      </div>
      <ol class="timeline">
        {stages.map(({ id, label, when, from, state, progress }) => (
          <li key={id} class="stage" data-state={state} aria-current={state === 'current' ? 'step' : undefined}>
            <span class="stage-bar" aria-hidden="true">
              {state === 'current' && (
                <span class="today" style={{ '--at': `${Math.round((progress ?? 0.5) * 100)}%` }}>
                  <span class="today-label">Today</span>
                </span>
              )}
            </span>
            <span class="stage-label">
              {label}
              {state === 'current' && <span class="visually-hidden">, today, {describeDay(now)}</span>}
            </span>
            <span class="stage-when">{when ?? (state === 'past' ? 'not seen' : '–')}</span>
            {from !== null && (
              <span class="stage-from">
                <ShortText value={from} max={90} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
