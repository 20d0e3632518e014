import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { StartupError } from '../startup-error.js';
import { type Cluster, findCluster, createCluster } from './cluster.js';
import {
  assertReadable,
  DATABASE,
  hasOwner,
  initialiseCluster,
  OWNER,
  type Passwords,
  setPasswords,
} from './initialise-cluster.js';
import { postgresBinaries } from './postgres-binaries.js';
import { PostgresServer } from './postgres-server.js';
import { awaitNoPostmaster, clusterName } from './postmaster.js';

export interface EmbeddedPostgres {
  readonly port: number;
  readonly url: string;
  /** Lets the tables' owner connect, to migrate. */
  readonly migrationUrl: string;
  /** Resolves with its last words when the server ends without being asked. */
  readonly ended: Promise<string>;
  /** Cuts off what is still connected, writes everything to disk and ends. */
  readonly stop: () => Promise<void>;
}

interface EmbeddedOptions extends Passwords {
  /** The path under which the cluster is found again, such as DATA_DIR/pg. */
  readonly cluster: string;
  readonly maxConnections?: number;
  /** Nothing is forced to disk: for databases that a test throws away. */
  readonly fast?: boolean;
  /** The port where it listened before, for those who go on connecting there; else a free one is taken. */
  readonly port?: number;
  /** Ends the start. */
  readonly signal?: AbortSignal;
}

/**
 * Starts PostgreSQL on the cluster, which is made when there is none, on a free port of 127.0.0.1. It ends with this
 * process, however that ends. The caller holds the lock of the data directory.
 * @throws StartupError saying in one sentence what is in the way.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { fast = false } = options;
  const binaries = postgresBinaries();
  const existing = findCluster(options.cluster);
  if (existing && hasOwner(options)) await assertReadable(existing);
  const initialise = (draft: Cluster) => initialiseCluster(draft, { binaries, passwords: options, fast });
  const cluster = existing ?? (await createCluster(options.cluster, initialise));
  await awaitNoPostmaster(cluster.path);
  if (hasOwner(options)) await setPasswords(cluster, binaries.postgres, options);
  const { server, port } = await startServer(binaries.postgres, cluster, options);
  const stop = async () => void (await server.stop());
  return { ...databaseUrls(options, port), port, ended: server.exitedUnexpectedly, stop };
}

/** PostgreSQL on a copy of a cluster. */
interface PostgresOnCopy extends Pick<EmbeddedPostgres, 'migrationUrl' | 'ended'> {
  /** @returns whether it wrote everything to disk */
  readonly stop: () => Promise<boolean>;
}

/**
 * The folder in which the process was started: root may start one in a folder that its user could not walk to, and a
 * backup is closed to everybody. It takes the place of the path, which stays in the command line for `findPostmaster`.
 */
const OWN_FOLDER = ['-D', '/proc/self/cwd'];
/** It does nothing by itself, and keeps as little of its log as it can. */
const FOR_A_LOOK = settingOptions('autovacuum=off', 'min_wal_size=32MB', 'max_wal_size=32MB', 'wal_recycle=off');

/** Starts PostgreSQL on a copy, which it recovers, for one look at it. */
export async function startOnCopy(
  copy: Cluster,
  passwords: Required<Passwords>,
  signal: AbortSignal,
): Promise<PostgresOnCopy> {
  const { postgres } = postgresBinaries();
  const place = copy.user.uid !== undefined && process.platform === 'linux' ? OWN_FOLDER : [];
  const { server, port } = await startServer(postgres, copy, { signal }, [...FOR_A_LOOK, ...place]);
  const { migrationUrl } = databaseUrls(passwords, port);
  return { migrationUrl, ended: server.exitedUnexpectedly, stop: () => server.stop() };
}

export function databaseUrls({ password, ownerPassword }: Passwords, port: number) {
  const url = databaseUrl(DATABASE, password, port);
  return { url, migrationUrl: ownerPassword === undefined ? url : databaseUrl(OWNER, ownerPassword, port) };
}

function databaseUrl(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

const MAX_PORT_ATTEMPTS = 5;

async function startServer(
  program: string,
  cluster: Cluster,
  { maxConnections = 200, fast = false, port: givenPort, signal }: Omit<EmbeddedOptions, 'cluster' | keyof Passwords>,
  others: readonly string[] = [],
): Promise<{ server: PostgresServer; port: number }> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    const port = givenPort ?? (await freePort());
    const server = new PostgresServer(program, cluster, [
      ...serverSettings(cluster.path, port, maxConnections),
      ...(fast ? NO_SYNC : []),
      ...others,
    ]);
    const stop = () => void server.stop();
    signal?.addEventListener('abort', stop, { once: true });
    const failure = await server.started;
    signal?.removeEventListener('abort', stop);
    if (failure === null) return { server, port };
    const isPortTaken = failure.includes('could not create any TCP/IP sockets');
    if (tried === MAX_PORT_ATTEMPTS || givenPort !== undefined || !isPortTaken)
      throw new StartupError(`PostgreSQL did not start on ${cluster.path}: ${failure}`);
  }
}

function serverSettings(path: string, port: number, maxConnections: number): string[] {
  const loopbackOnly = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const names = [`cluster_name=${clusterName(path)}`, `max_connections=${maxConnections}`];
  const settings = [...loopbackOnly, ...names, ...FOR_ONE_SERVICE, ...QUIET_LOG];
  return ['-D', path, '-p', String(port), ...settingOptions(...settings)];
}

/** Takes little of a machine: no workers that wait for what never comes, and no compiler for statements. */
const FOR_ONE_SERVICE = ['shared_buffers=64MB', 'io_method=sync', 'max_logical_replication_workers=0', 'jit=off'];

/** Statements and rows hold what people entrusted to us, targets with tokens among it: its log gets none of them. */
const QUIET_LOG = [
  'log_line_prefix=',
  'log_statement=none',
  'log_min_duration_statement=-1',
  'log_min_error_statement=panic',
  'log_error_verbosity=terse',
  'log_parameter_max_length=0',
  'log_parameter_max_length_on_error=0',
];

const NO_SYNC = settingOptions('fsync=off', 'synchronous_commit=off', 'full_page_writes=off');

function settingOptions(...settings: string[]): string[] {
  return settings.flatMap((setting) => ['-c', setting]);
}

/** A port of 127.0.0.1 that was free a moment ago; another process may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
