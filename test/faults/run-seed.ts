import { setTimeout as pause } from 'node:timers/promises';
import { setUpAccounts } from './scenario/setup.js';
import { SeededRandom } from './scenario/seeded-random.js';
import { ApiClient } from './clients/api-client.js';
import { Checker } from './clients/checker.js';
import { SimulatedUsers } from './clients/simulated-users.js';
import { type FinalState, readListedChanges, readRows, type WatchedEntry } from './results/final-state.js';
import { INCIDENT_KINDS, type IncidentContext } from './scenario/incidents.js';
import { ClientLog } from './clients/client-log.js';
import { injectFaults } from './scenario/fault-injector.js';
import { awaitQuiescence } from './results/await-quiescence.js';
import { LEASE_SECONDS } from './cluster/settings.js';
import { Cluster, type ClusterOptions } from './cluster/cluster.js';
import { RecordScenario } from './scenario/record-scenario.js';
import { CheckScenario } from './scenario/check-scenario.js';
import { DenialScenario } from './scenario/denial-scenario.js';
import { MIN_FAULTS, Scenario } from './scenario/scenario.js';
import { type CoverageRequirement, checkCoverage } from './results/coverage-requirements.js';
import { isRecordFault } from './world/record-faults.js';
import { LagMonitor } from './results/lag-monitor.js';
import { RecordMonitor } from './results/record-monitor.js';

export interface SeedOptions extends ClusterOptions {
  readonly seed: number;
  /** How long faults are injected. */
  readonly seconds: number;
  readonly names: number;
  readonly log: (line: string) => void;
}

export interface SeedRun {
  readonly finalState: FinalState;
  /** Whether enough happened for the run to prove something. */
  readonly coverage: readonly CoverageRequirement[];
  /** Its folder has the logs. */
  readonly cluster: Cluster;
}

/** How long a process may take to resume or restart on a busy machine. */
const RESTART_TIMEOUT_MS = 60_000;
/** A run goes on until enough has happened, at most this long. */
const COVERAGE_TIMEOUT_MS = 150_000;
/** Those of records take two checks. */
const MIN_RECORD_FAULTS = 3;
const POLL_MS = 200;

/** Starts the cluster, injects faults for a while, stops them, waits for quiescence and reads the final state. */
export async function runSeed(options: SeedOptions, opened: (cluster: Cluster) => void): Promise<SeedRun> {
  const { seed, seconds, names, log } = options;
  const random = new SeededRandom(String(seed));
  const opening = Date.now();
  const cluster = await Cluster.open({ ...options, hasProcessWithoutDns: true }, random);
  opened(cluster);
  await cluster.start();
  const accounts = [cluster.key, await cluster.openAccount('second')];
  const apis = cluster.processes.filter(({ role }) => role === 'api');
  const clients = accounts.map((key, i) => new ApiClient(key, apis, random.fork(`client ${i}`)));
  const [first] = clients;
  const clientLog = new ClientLog();
  const [withDns, withoutDns] = apis.map((api) => {
    const client = new ApiClient(cluster.key, [api], random.fork(`client of ${api.name}`));
    return new Checker(client, clientLog);
  });
  if (!first || !withDns || !withoutDns) throw new Error('there is no account, or no api');

  const scenario = new Scenario(cluster.registries, random.fork('scenario'), names);
  const records = new RecordScenario(cluster.registries, random.fork('records'));
  const checkers = { withDns, withoutDns };
  const denials = new DenialScenario(cluster.registries.denials, checkers, random.fork('denials'));
  const watched = [...records.names, ...scenario.names];
  const setup = await setUpAccounts(cluster, clients, [...watched, ...denials.names]);
  const users = new SimulatedUsers(
    first,
    withDns, // without DNS, nothing contradicts an absence that lasts
    clientLog,
    cluster.registries,
    watched,
    random.fork('clients'),
  );
  const checks = new CheckScenario(cluster.registries, new Checker(first, clientLog), random.fork('checks'));
  const lagMonitor = new LagMonitor(cluster, accounts.length);
  const stopMonitor = new AbortController();
  const recordMonitor = new RecordMonitor(cluster, records.names);
  const monitoring = [lagMonitor, recordMonitor].map((monitor) => monitor.run(stopMonitor.signal));

  const began = Date.now();
  const stop = new AbortController();
  const since = (at: number) => `${((at - began) / 1_000).toFixed(1).padStart(6)} s`;
  const everyKind = Promise.withResolvers<void>();
  const covered = Promise.all([
    scenario.whenReleased,
    everyKind.promise,
    awaitFaults(cluster, began + COVERAGE_TIMEOUT_MS),
  ]);
  const enough = Promise.race([covered, pause(COVERAGE_TIMEOUT_MS, undefined, { ref: false })]);
  void Promise.all([pause(seconds * 1_000), enough]).then(() => {
    scenario.release();
    stop.abort();
  });
  const took = ((began - opening) / 1_000).toFixed(1);
  log(`seed ${seed}: ${names} names, ${accounts.length} accounts, queue on ${options.queue}; ready after ${took} s`);
  const context: IncidentContext = { ...cluster, processes: cluster.processes, leaseSeconds: LEASE_SECONDS, scenario };
  const [injected] = await Promise.all([
    injectFaults(context, random.fork('faults'), stop.signal, ({ from, what }, count) => {
      log(`${since(from)}  ${what}`);
      if (count === INCIDENT_KINDS) everyKind.resolve();
    }),
    scenario.run((name, state) => lagMonitor.isShown(name, state), stop.signal),
    records.run((name) => recordMonitor.isShown(name), stop.signal),
    users.run(stop.signal),
    checks.run(stop.signal),
    denials.run(stop.signal),
  ]);
  log(`${since(Date.now())}  no more faults`);
  const coverage = checkCoverage(cluster, { scenario, records, checks, denials }, injected, options.mutant !== null);

  cluster.receivers.stopFailing();
  cluster.mailServer.stopFailing();
  const stoppedAt = Date.now();
  await pause(Math.max(0, ...injected.map(({ to }) => to - stoppedAt))); // a frozen process may still hold leases
  const unfinished = [
    ...(await awaitRunning(cluster, RESTART_TIMEOUT_MS)),
    ...(await awaitQuiescence(cluster, { scenario, lagMonitor, records, recordMonitor })),
  ];
  log(
    `${since(Date.now())}  ${unfinished.length === 0 ? 'quiescent' : 'not quiescent'} after ${Date.now() - stoppedAt} ms`,
  );
  stopMonitor.abort();
  await Promise.all(monitoring);
  const watchedEntries = [...setup.watchedEntries, ...entriesAddedByUsers(clientLog)];

  const finalState: FinalState = {
    ...(await readRows(cluster.postgres)),
    channelLabels: setup.channelLabels,
    incidents: injected,
    unfinished,
    falseAnswers: scenario.falseAnswers,
    leaseSeconds: LEASE_SECONDS,
    registryStates: new Map(
      [scenario, records, checks, denials, { registryStates: users.names.values() }]
        .flatMap(({ registryStates }) => [...registryStates])
        .map(({ name, spans }) => [name, spans]),
    ),
    recordHistories: new Map([...cluster.registries.histories].map(([name, { spans }]) => [name, spans])),
    recordNames: records.names,
    listedChanges: await readListedChanges(clients, watchedEntries),
    watchedEntries,
    arrivals: cluster.receivers.arrivals,
    mailed: cluster.mailServer.mailed,
    actions: clientLog.actions,
    checks: clientLog.checks,
    unexpectedResponses: clients.flatMap(({ unexpectedResponses }) => unexpectedResponses),
    lateness: lagMonitor.lateness,
  };
  return { finalState, coverage, cluster };
}

/** Entries that users added and did not remove; new entries start as registered. */
function entriesAddedByUsers({ actions }: ClientLog): WatchedEntry[] {
  const there = actions.filter(
    ({ kind, added, removed }) => kind === 'entry' && added === 'answered' && removed === 'no',
  );
  return there.map(({ id, subject }) => ({ id: id ?? '', domain: subject, status: 'registered', account: 0 }));
}

/** Waits until registry faults of every kind were delivered several times. */
async function awaitFaults({ registries }: Cluster, until: number): Promise<void> {
  const isCovered = () =>
    [...registries.deliveredFaults].every(([fault, times]) => {
      return times >= (isRecordFault(fault) ? MIN_RECORD_FAULTS : MIN_FAULTS);
    });
  while (!isCovered() && Date.now() < until) await pause(POLL_MS);
}

/** Waits until every process runs again. */
export async function awaitRunning(cluster: Cluster, timeoutMs: number): Promise<string[]> {
  const up = Promise.all(cluster.processes.map((instance) => instance.whenReady())).then(() => true);
  const isUp = await Promise.race([up, pause(timeoutMs, false, { ref: false })]);
  return isUp ? [] : ['not every process restarted'];
}
