import { useState } from 'preact/hooks';
import {
  type Canary,
  listOperators,
  listRegistries,
  type Registry,
  type RegistryTld,
} from '../../../../clients/typescript/src/index.js';
import type { Answered } from '../../api/call.js';
import { useExtensions } from '../../api/extensions.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import { Badge } from '../../components/badge.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText } from '../../components/text.js';
import { TldList } from '../../components/tld-list.js';
import { useNow, When } from '../../components/when.js';
import { toHourBars } from '../../pictures/hour-bars.js';
import { operatorPath } from '../../routes.js';
import { SourceTable } from '../extensions/source-table.js';
import { LateNamesCard } from './late-names.js';
import { type RegistryState, type RegistryUse, worstFirst } from './registry-state.js';

const PER_PAGE = 25;
/** The maximum number of operators in one request. */
const MAX_OPERATORS = 100;

/** Lists the registries with their TLDs, rate limits and states. */
export function RegistriesScreen() {
  const { client, can } = useSession();
  const { sources } = useExtensions();
  const [page, setPage] = useState(1);
  const [typed, setTyped] = useState('');
  const [tld, setTld] = useState('');
  const { data, failure, isLoading, reload } = useRequest(
    (signal) => listRegistries({ client, signal, query: { page, per_page: PER_PAGE, ...(tld === '' ? {} : { tld }) } }),
    [page, tld],
  );
  const own = useRequest(
    async (signal): Answered<{ readonly data: readonly RegistryUse[] }> =>
      can('watchlist:read') ? listOperators({ client, signal }) : { data: { data: [] } },
    [],
  );
  const uses = own.data?.data ?? [];
  const search = (event: Event) => {
    event.preventDefault();
    setPage(1);
    setTld(typed.trim().replace(/^\./, ''));
  };
  const refresh = (
    <button type="button" class="button" onClick={reload}>
      Refresh
    </button>
  );
  return (
    <Page title="Registries" actions={refresh}>
      <p class="muted">
        The service asks each operator no faster than it allows, and leaves one alone that fails. An error never becomes
        the status of a name.
      </p>
      {can('watchlist:read') && <LateNamesCard />}
      {sources.length > 0 && (
        <section class="stack-wide" aria-labelledby="extension-sources">
          <h2 id="extension-sources">Lookup sources of extensions</h2>
          <SourceTable sources={sources} label="Table of lookup sources of extensions" />
        </section>
      )}
      <OwnRegistries uses={uses} />
      <h2>All registries</h2>
      <form class="filter-row" role="search" onSubmit={search}>
        <label class="field">
          <span class="field-label">TLD</span>
          <input
            name="tld"
            placeholder="com"
            maxLength={64}
            pattern="\.?[A-Za-z0-9\-]{1,63}"
            title="Letters, digits and hyphens, such as com or xn--p1ai"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Find
        </button>
      </form>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {data === null && isLoading && <Loading />}
      {data?.meta.total === 0 && (
        <EmptyState title="No server for this TLD">
          <p>No RDAP or WHOIS server is known for it, so its names cannot be watched. An administrator can add one.</p>
        </EmptyState>
      )}
      {data && data.data.length > 0 && <RegistryTable registries={data.data} uses={uses} label="Operators" />}
      {data && data.meta.total > PER_PAGE && (
        <Pager page={page} perPage={PER_PAGE} total={data.meta.total} onPage={setPage} />
      )}
    </Page>
  );
}

/** Lists the registries of the account's own names, before all others. */
function OwnRegistries({ uses }: { uses: readonly RegistryUse[] }) {
  const { client } = useSession();
  const operator = uses.slice(0, MAX_OPERATORS).map(({ operator: name }) => name);
  const { data } = useRequest(
    async (signal): Answered<{ readonly data: readonly Registry[] }> =>
      operator.length === 0
        ? { data: { data: [] } }
        : listRegistries({ client, signal, query: { operator, per_page: MAX_OPERATORS } }),
    [operator],
  );
  if (data === null || data.data.length === 0) return null;
  return (
    <section class="stack-wide" aria-labelledby="own-registries">
      <h2 id="own-registries">Asked about your names</h2>
      <RegistryTable registries={data.data} uses={uses} label="Operators of your names" />
    </section>
  );
}

interface RegistryTableProps {
  readonly registries: readonly Registry[];
  /** How the account's names do, for the registries that have such names. */
  readonly uses?: readonly RegistryUse[];
  readonly label: string;
}

/** Lists the registries, the worst first. */
function RegistryTable({ registries, uses = [], label }: RegistryTableProps) {
  const now = useNow();
  const rows = worstFirst(registries, uses, now);
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table class="table stacked">
        <thead>
          <tr>
            <th scope="col">Operator</th>
            <th scope="col">TLDs</th>
            <th scope="col">Protocol</th>
            <th scope="col">State</th>
            <th scope="col">Last 24 hours</th>
            <th scope="col">Rate limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ registry, state }) => (
            <RegistryRow key={registry.operator} registry={registry} state={state} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RegistryRow({ registry, state }: { registry: Registry; state: RegistryState }) {
  return (
    <tr>
      <th scope="row">
        <ShortText value={registry.operator} max={48} />
      </th>
      <td data-label="TLDs">
        <Tlds tlds={registry.tlds} />
      </td>
      <td data-label="Protocol">
        <ShortText value={sourcesText(registry)} max={120} />
      </td>
      <td data-label="State">
        <Badge tone={state.tone}>{state.label}</Badge>{' '}
        <span class="muted">
          {state.text} {state.until !== null && <When at={state.until} />}
        </span>
      </td>
      <td data-label="Last 24 hours">
        <Hours registry={registry} />
      </td>
      <td data-label="Rate limit">{budgetText(registry.budget)}</td>
    </tr>
  );
}

const ROOM = 24;

/** Shows the average response time of each hour. Hours with errors are red. Links to the operator's watched names. */
function Hours({ registry: { operator, hours } }: { registry: Registry }) {
  const { can } = useSession();
  const now = useNow();
  const picture = toHourBars(hours, now, ROOM);
  if (picture === null) return <span class="muted">not asked</span>;
  const bars = (
    <>
      <svg viewBox={`0 0 ${picture.bars.length * 4} ${ROOM}`} aria-hidden="true">
        {picture.bars.map(({ hour, height, hasErrors, text }, index) => (
          <rect key={hour} x={index * 4} width="3" y={ROOM - height} height={height} data-failed={hasErrors}>
            <title>{text}</title>
          </rect>
        ))}
      </svg>
      <span class="muted">{picture.text}</span>
    </>
  );
  if (!can('watchlist:read')) return <span class="hour-bars">{bars}</span>;
  return (
    <a class="hour-bars" href={operatorPath(operator)}>
      {bars}
      <span class="visually-hidden">: your names of {operator}</span>
    </a>
  );
}

function Tlds({ tlds }: { tlds: readonly RegistryTld[] }) {
  const checked = tlds.flatMap(({ tld, canary }) => (canary && !canary.found ? [{ tld, canary }] : []));
  return (
    <>
      <TldList tlds={tlds.map(({ tld }) => tld)} />
      {checked.map(({ tld, canary }) => (
        <CanaryNote key={tld} tld={tld} canary={canary} />
      ))}
    </>
  );
}

/** Says that a registry did not find a name that exists. */
function CanaryNote({ tld, canary: { domain, observed_at: observedAt } }: { tld: string; canary: Canary }) {
  return (
    <p class="muted">
      The registry of .{tld} did not find {domain === null ? 'a name that exists' : <code>{domain}</code>}{' '}
      <When at={observedAt} />. No name of .{tld} counts as available for ten minutes.
    </p>
  );
}

function budgetText(budget: Registry['budget']): string {
  if (budget === null) return 'No limit';
  const { per_second: perSecond, burst, concurrency } = budget;
  if (perSecond === 0) return `No rate limit, ${concurrency} at a time`;
  return `${rateText(perSecond)}, ${burst} at once, ${concurrency} at a time`;
}

/** Returns the rate per second, or per minute if it is below one a second. */
function rateText(perSecond: number): string {
  if (perSecond === 1) return '1 query a second';
  if (perSecond > 1) return `${round(perSecond)} queries a second`;
  return `${round(perSecond * 60)} queries a minute`;
}

function round(rate: number): string {
  return rate.toLocaleString('en', { maximumFractionDigits: 1 });
}

const SOURCES: Readonly<Record<string, string>> = { rdap: 'RDAP', whois: 'WHOIS', sandbox: 'sandbox' };

/** Returns the protocols of the registry, such as `RDAP, WHOIS`. Names an extension's source. */
function sourcesText({ tlds }: Registry): string {
  return [...new Set(tlds.map(({ source }) => SOURCES[source] ?? source))].join(', ');
}
