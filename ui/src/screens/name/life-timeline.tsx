import { useId } from 'preact/hooks';
import { ShortText } from '../../components/text.js';
import { describeDay } from '../../components/time-text.js';
import { PictureButton } from '../../components/picture-button.js';
import { useNow } from '../../components/when.js';
import { type LifeLine, toLifeLine } from '../../pictures/life-line.js';
import type { Stage } from './life-stages.js';
import { STORY_ID } from './story-card.js';

interface LifeTimelineProps {
  readonly stages: readonly Stage[];
  /** The last date that is known. */
  readonly end: Date | null;
}

/** Shows the life of a name to scale, with the current time, and the source of each date. */
export function LifeTimeline({ stages, end }: LifeTimelineProps) {
  const now = useNow();
  const line = toLifeLine(stages, end, now);
  const known = stages.filter(({ when, state }) => when !== null || state === 'current');
  return (
    <section class="card" aria-labelledby="life">
      <h2 id="life">Life</h2>
      {line && <LifeLinePicture line={line} today={now} />}
      <ol class="life-dates">
        {known.map(({ id, label, when, from, state }) => (
          <li key={id} class="life-date" data-stage={id} aria-current={state === 'current' ? 'step' : undefined}>
            <span class="life-dot" aria-hidden="true" />
            <span>
              <strong>{label}</strong> {state === 'current' && <span class="muted">(now)</span>}{' '}
              <span class="life-when">{when ?? 'date not known'}</span>
            </span>
            {from !== null && (
              <span class="life-from">
                <ShortText value={from} max={90} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const WIDTH = 1_000;
const HEIGHT = 14;
/** Without a minimum, a day in a long life would be invisible. */
const LEAST_WIDTH = 3;

function LifeLinePicture({ line: { segments, now, years, text }, today }: { line: LifeLine; today: Date }) {
  const id = useId();
  return (
    <div class="life-line">
      <PictureButton leadsTo={STORY_ID} title="Go to the timeline">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-labelledby={id}>
          <title id={id}>{`${text}; today is ${describeDay(today)}`}</title>
          {segments.map(({ id: stage, from, to, text: tooltip }) => (
            <rect
              key={stage}
              class="life-part"
              data-stage={stage}
              x={from * WIDTH}
              width={Math.max(LEAST_WIDTH, (to - from) * WIDTH)}
              height={HEIGHT}
            >
              <title>{tooltip}</title>
            </rect>
          ))}
        </svg>
      </PictureButton>
      <span class="life-now" aria-hidden="true" style={{ '--at': `${now * 100}%` }}>
        <span class="life-now-label" data-side={now > 0.5 ? 'left' : 'right'}>
          Today
        </span>
      </span>
      <span class="life-years" aria-hidden="true">
        {years.map(({ year, at }) => (
          <span key={year} style={{ '--at': `${at * 100}%` }}>
            {year}
          </span>
        ))}
      </span>
    </div>
  );
}
