import { useEffect, useId } from 'preact/hooks';
import { countDeliveriesByDay } from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { PictureButton } from '../../components/picture-button.js';
import { type DayCount, toDayStrip } from '../../pictures/day-strip.js';

/** The heading of the list that the picture leads to. */
export const DELIVERIES_ID = 'deliveries';
const ROOM = 40;
const STEP = 10;

/** Shows thirty days of deliveries and failures. @param round increases when something was sent */
export function MonthStrip({ channelId, round }: { channelId: string; round: unknown }) {
  const { client } = useSession();
  const { data, reload } = useRequest(
    (signal) => countDeliveriesByDay({ client, signal, path: { id: channelId } }),
    [channelId],
  );
  useEffect(reload, [round]);
  return data && <StripPicture days={data.data} />;
}

function StripPicture({ days }: { days: readonly DayCount[] }) {
  const id = useId();
  const { columns, text } = toDayStrip(days, ROOM);
  return (
    <figure class="month-strip">
      <PictureButton leadsTo={DELIVERIES_ID} title="Go to the deliveries">
        <svg
          viewBox={`0 0 ${columns.length * STEP} ${ROOM}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={id}
        >
          <title id={id}>{`The last thirty days: ${text}`}</title>
          {columns.map(({ day, parts, text: tooltip }, index) => (
            <g key={day}>
              <title>{tooltip}</title>
              <rect class="strip-day" x={index * STEP} width={STEP - 1} height={ROOM} />
              {parts.map(({ kind, y, height }) => (
                <rect
                  key={kind}
                  class="strip-part"
                  data-kind={kind}
                  x={index * STEP}
                  width={STEP - 1}
                  y={y}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
      </PictureButton>
      <figcaption class="muted">Last thirty days: {text}</figcaption>
    </figure>
  );
}
