import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  checkDomains,
  type Client,
  listDomainVariants,
  type Variant,
} from '../../../../clients/typescript/src/index.js';
import { call, type Failure } from '../../api/call.js';
import { readJsonLines } from '../../api/json-lines.js';
import { useFeedState } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { type Ask, CheckRun, type Message, type NewName } from './check-run.js';
import { countNames } from '../watchlist/for-each-entry.js';

/** The most names of one request, if the plan allows that many. A request may have 256 KiB. */
const MOST_AT_ONCE = 500;
/** Answers come in bursts, so all answers within this time cause one rendering. */
const GATHER_MS = 100;
const MOST_LOOK_ALIKES = 500;
/** The suffixes under which words and look-alikes are tried by default. */
export const USUAL_ENDINGS = ['com', 'net', 'org', 'info', 'io', 'co', 'app', 'dev', 'eu', 'de'];
/** Most look-alikes are at one registry, which limits requests. */
const LOOK_ALIKES_AT_FIRST = 50;

interface Checks {
  readonly runs: readonly CheckRun[];
  readonly check: (names: readonly string[]) => void;
  /** Checks the names that people confuse with this name. @returns the failure; null if the check has started */
  readonly checkLookAlikes: (domain: string) => Promise<Failure | null>;
  readonly close: (run: CheckRun) => void;
}

const ChecksContext = createContext<Checks | null>(null);

/** Keeps checks and their results while people visit other screens. They end with the session. */
export function ChecksProvider({ children }: { children: ComponentChildren }) {
  const { client, me, can } = useSession();
  const [, draw] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const runs = useRef<readonly CheckRun[]>([]);
  const feed = useFeedState();
  useEffect(() => () => runs.current.forEach((run) => run.stop()), []);
  useEffect(() => {
    if (feed === 'live') for (const run of runs.current) if (run.state.kind === 'interrupted') void run.start();
  }, [feed]);
  const actions = useMemo(() => {
    const onChange = () => {
      timer.current ??= setTimeout(() => {
        timer.current = null;
        draw((drawn) => drawn + 1);
      }, GATHER_MS);
    };
    const bulk = me.limits.bulk ?? 0;
    const batchSize = bulk > 0 ? Math.min(bulk, MOST_AT_ONCE) : MOST_AT_ONCE;
    const ask = asking(client, can('watchlist:read'));
    const start = (title: string, names: readonly NewName[], mostAtFirst = Infinity) => {
      const run = new CheckRun(title, names, { ask, batchSize, mostAtFirst, onChange });
      runs.current = [run, ...runs.current];
      void run.start();
    };
    const check = (names: readonly string[]) => {
      const title = names.length === 1 ? (names[0] ?? '') : countNames(names.length);
      start(
        title,
        names.map((domain) => ({ domain, shown: domain, kind: null })),
      );
    };
    const checkLookAlikes = async (domain: string) => {
      const kind: Variant['kind'][] = ['tld', 'homoglyph', 'typo'];
      const query = { domain, kind, tld: USUAL_ENDINGS, max: MOST_LOOK_ALIKES };
      const outcome = await call(listDomainVariants({ client, query }));
      if (!outcome.ok) return outcome.failure;
      const { data } = outcome.data;
      const names = data.map(({ domain: ascii, domain_unicode: shown, kind }) => ({ domain: ascii, shown, kind }));
      start(lookAlikesTitle(domain), names, LOOK_ALIKES_AT_FIRST);
      return null;
    };
    const close = (run: CheckRun) => {
      run.stop();
      runs.current = runs.current.filter((one) => one !== run);
      onChange();
    };
    return { check, checkLookAlikes, close };
  }, [client]);
  return <ChecksContext.Provider value={{ ...actions, runs: runs.current }}>{children}</ChecksContext.Provider>;
}

/** Returns the title of the check, by which the name's page finds the check. */
export function lookAlikesTitle(domain: string): string {
  return `Look-alikes of ${domain}`;
}

export function useChecks(): Checks {
  const checks = useContext(ChecksContext);
  if (checks === null) throw new Error('this component is outside the checks provider');
  return checks;
}

/** @param knowsWatchlist whether the key may learn which names are watched already */
function asking(client: Client, knowsWatchlist: boolean): Ask {
  const expand = knowsWatchlist ? 'lifecycle,evidence,entry' : 'lifecycle,evidence';
  return async (domains, maxAgeSeconds, signal) => {
    const query = { expand, ...(maxAgeSeconds !== null && { max_age: maxAgeSeconds }) };
    const headers = { Accept: 'application/x-ndjson' };
    const body = { domains: [...domains] };
    const outcome = await call<unknown>(checkDomains({ client, query, body, headers, signal, parseAs: 'stream' }));
    if (!outcome.ok) return outcome;
    return { ok: true, data: readJsonLines<Message>(outcome.data as ReadableStream<Uint8Array<ArrayBuffer>>) };
  };
}
