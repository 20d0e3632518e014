import {
  type Client,
  type Entry,
  getWatchlistEntry,
  getWatchlistSummary,
  listWatchlist,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Loading } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { When } from '../../components/when.js';
import { namePath, ROUTES } from '../../routes.js';

export function LateNamesCard() {
  const { client } = useSession();
  const { data, failure, isLoading, reload } = useRequest(async (signal) => {
    const [late, { data: summary }] = await Promise.all([
      readLateNames(client, signal, new Date()),
      getWatchlistSummary({ client, signal, throwOnError: true }),
    ]);
    return { data: { late, unanswered: summary.action_needed.never_answered } };
  }, []);
  return (
    <section class="card" aria-labelledby="late">
      <h2 id="late">Backlog</h2>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.late.length === 0 && data.unanswered === 0 && (
        <p>All of your names were checked within their intervals.</p>
      )}
      {data && data.unanswered > 0 && (
        <p>
          <a href={`${ROUTES.watchlist}?answered=false&paused=false`}>
            {data.unanswered.toLocaleString('en')} {data.unanswered === 1 ? 'name was' : 'names were'} never answered
          </a>
        </p>
      )}
      {data && data.late.length > 0 && (
        <ul class="plain-list">
          {data.late.map((name) => (
            <li key={name.entryId}>
              <a class="domain" href={namePath(name.domain)}>
                {name.domain}
              </a>{' '}
              {name.lastCheckedAt === null ? (
                'has not been answered yet'
              ) : (
                <>
                  was last answered <When at={name.lastCheckedAt} />
                </>
              )}
              <span class="muted">: {lateReason(name)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A name whose last answer is older than its interval. */
interface LateName {
  readonly entryId: string;
  readonly domain: string;
  readonly lastCheckedAt: string | null;
  /** By how many minutes the last answer is too old; null before the first answer. */
  readonly lateMinutes: number | null;
  readonly reason: Entry['interval_reason'];
  readonly failingCode: string | null;
}

const CANDIDATES = 10;
/** Tolerates a short delay, since a running check does not make a name late. */
const TOLERANCE_MINUTES = 2;

/**
 * Reads the ten names with the oldest answers, and returns the late names among them.
 * @throws the problem document of a refused request, and NetworkError
 */
async function readLateNames(client: Client, signal: AbortSignal, now: Date): Promise<readonly LateName[]> {
  const query = { sort: 'last_checked_at', per_page: CANDIDATES } as const;
  const { data } = await listWatchlist({ client, signal, throwOnError: true, query });
  const candidates = data.data.filter(
    (entry) =>
      minutesSince(entry.last_checked_at ?? entry.created_at, now) > entry.interval_minutes + TOLERANCE_MINUTES,
  );
  const entries = await Promise.all(
    candidates.map(({ id }) => getWatchlistEntry({ client, signal, path: { id } }).then((answer) => answer.data)),
  );
  return entries
    .filter((entry) => entry !== undefined && !entry.paused)
    .map((entry) => toLateName(entry as Entry, now));
}

function toLateName(entry: Entry, now: Date): LateName {
  const {
    id,
    domain,
    last_checked_at: lastCheckedAt,
    interval_minutes: interval,
    interval_reason: reason,
    failing,
  } = entry;
  return {
    entryId: id,
    domain,
    lastCheckedAt,
    reason,
    failingCode: failing?.code ?? null,
    lateMinutes: lastCheckedAt === null ? null : Math.round(minutesSince(lastCheckedAt, now) - interval),
  };
}

function minutesSince(at: string, now: Date): number {
  return (now.getTime() - Date.parse(at)) / 60_000;
}

const REASONS: Readonly<Record<NonNullable<Entry['interval_reason']>, string>> = {
  plan: 'the plan of this account has a longer interval',
  budget: 'its registry takes no more queries from all names together',
  backlog: 'the service was away or has too few workers',
};

function lateReason({ failingCode, reason }: Pick<LateName, 'failingCode' | 'reason'>): string {
  if (failingCode !== null) return `its checks fail (${failingCode})`;
  return reason === null ? 'its next check is due' : REASONS[reason];
}
