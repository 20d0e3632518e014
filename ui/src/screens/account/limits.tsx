import type { Me } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';

export function Limits({ me: { account, limits, use } }: { me: Me }) {
  return (
    <section class="card" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <dl class="facts">
        <dt>Name</dt>
        <dd>
          <Text value={account.name} max={100} />
        </dd>
        <dt>Plan</dt>
        <dd>
          <Text value={account.plan} max={60} />
        </dd>
        <dt>Since</dt>
        <dd>
          <When at={account.created_at} show="day" />
        </dd>
        <dt>Names</dt>
        <dd>
          <Use label="Watched names" used={use.entries} limit={limits.entries} />
        </dd>
        <dt>Channels</dt>
        <dd>
          <Use label="Channels" used={use.channels} limit={limits.channels} />
        </dd>
        <dt>Intervals</dt>
        <dd>
          {limits.intervals.map(describeInterval).join(', ')}; {describeInterval(limits.default_interval)} unless chosen
        </dd>
        <dt>Requests</dt>
        <dd>{describeLimit(limits.requests_per_minute, 'a minute')}</dd>
        <dt>Bulk checks</dt>
        <dd>{describeLimit(limits.bulk, 'names at once')}</dd>
        <dt>History</dt>
        <dd>{limits.history_days === null ? 'kept for good' : `kept for ${limits.history_days} days`}</dd>
      </dl>
    </section>
  );
}

function Use({ label, used, limit }: { label: string; used: number; limit: number | null }) {
  if (limit === null) return <>{used.toLocaleString('en')}, no limit</>;
  return (
    <>
      {used.toLocaleString('en')} of {limit.toLocaleString('en')}
      <meter class="use" aria-label={`${label} used`} min={0} max={limit} high={limit * 0.9} value={used} />
    </>
  );
}

const UNITS = [
  { minutes: 1_440, unit: 'd' },
  { minutes: 60, unit: 'h' },
  { minutes: 1, unit: 'min' },
];

/** Returns a text such as `5 min`, `6 h` or `1 d`. */
function describeInterval(minutes: number): string {
  const found = UNITS.find((one) => minutes % one.minutes === 0) ?? { minutes: 1, unit: 'min' };
  return `${(minutes / found.minutes).toLocaleString('en')} ${found.unit}`;
}

/** Returns a text such as `60 a minute`, or `no limit`. */
function describeLimit(limit: number | null, of: string): string {
  return limit === null ? 'no limit' : `${limit.toLocaleString('en')} ${of}`;
}
