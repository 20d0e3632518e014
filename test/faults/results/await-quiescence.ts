import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.js';
import { LEASE_SECONDS } from '../cluster/settings.js';
import type { RecordScenario } from '../scenario/record-scenario.js';
import type { Scenario } from '../scenario/scenario.js';
import type { LagMonitor } from './lag-monitor.js';
import type { RecordMonitor } from './record-monitor.js';

/** Long enough for the remaining retries of an unlucky delivery. */
const TIMEOUT_MS = 90_000;
const POLL_MS = 200;
const QUIET_FOR_MS = 1_000;

const PENDING = `
  select count(*)::int as value from deliveries where state = 'pending' or exists (
    select from delivery_attempts a where a.delivery_id = deliveries.id and a.outcome is null)`;
/** A name whose worker died with it is checked after the lease; none may be left longer. */
const OVERDUE = `
  select count(*)::int as value from watched_names where next_check_at < now() - make_interval(secs => ${2 * LEASE_SECONDS})`;
/** A record that changed with the last status is told at the second lookup, which comes soon after. */
const HALF_SEEN = `
  select count(*)::int as value from watched_names
  where next_check_at is not null and jsonb_path_exists(record_state::jsonb, '$.*.candidate ? (@.waitingFor == "second_lookup")')`;
const UNCHECKED = 'select count(*)::int as value from watch_entries where not has_confirmed_facts';

/** The states to be shown in the end, and the monitors that show them. */
interface Expectations {
  readonly scenario: Scenario;
  readonly lagMonitor: LagMonitor;
  readonly records: RecordScenario;
  readonly recordMonitor: RecordMonitor;
}

/** Waits until no work is left. @returns what is unfinished after the timeout */
export async function awaitQuiescence(cluster: Cluster, expectations: Expectations): Promise<string[]> {
  const until = Date.now() + TIMEOUT_MS;
  let quietSince: number | null = null;
  for (;;) {
    const unrest = await findUnfinished(cluster, expectations);
    quietSince = unrest.length > 0 ? null : (quietSince ?? Date.now());
    if (quietSince !== null && Date.now() - quietSince >= QUIET_FOR_MS) return [];
    if (Date.now() > until) return unrest;
    await pause(POLL_MS);
  }
}

async function findUnfinished(
  cluster: Cluster,
  { scenario, lagMonitor, records, recordMonitor }: Expectations,
): Promise<string[]> {
  const untold = scenario.registryStates.filter(({ name, state }) => !lagMonitor.isShown(name, state));
  const changed = records.names.filter((name) => !recordMonitor.isShown(name));
  const pending = await cluster.postgres.queryNumber(PENDING);
  const unseen = await cluster.postgres.queryNumber(UNCHECKED);
  const overdue = await cluster.postgres.queryNumber(OVERDUE);
  const halfSeen = await cluster.postgres.queryNumber(HALF_SEEN);
  return [
    ...untold.map(({ name, state }) => `${name} has become ${state}, and some entry does not show it`),
    ...changed.map((name) => `the record of ${name} is not the registry's, or not settled`),
    ...(pending > 0 ? [`${pending} deliveries are pending`] : []),
    ...(unseen > 0 ? [`${unseen} entries were never checked`] : []),
    ...(halfSeen > 0 ? [`${halfSeen} records have a value that waits for its second lookup`] : []),
    ...(overdue > 0 ? [`${overdue} names are overdue by more than two leases`] : []),
    ...cluster.processes.filter(({ address }) => address === null).map(({ name }) => `${name} is not running`),
  ];
}
