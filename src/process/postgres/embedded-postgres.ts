import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';
import { type Cluster, findCluster, createCluster } from './cluster.js';
import {
  assertReadable,
  assertSameMajor,
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
  /** The database URL for the owner of the tables, who migrates them. */
  readonly migrationUrl: string;
  /** Resolves with the reason if the server ends although nobody stopped it. */
  readonly ended: Promise<string>;
  /** Closes all connections, writes everything to disk and ends the server. */
  readonly stop: () => Promise<void>;
}

interface EmbeddedOptions extends Passwords {
  readonly cluster: string;
  readonly maxConnections?: number;
  /** If true, PostgreSQL does not wait until data is on the disk. Use this only for temporary databases of tests. */
  readonly fast?: boolean;
  /** After a restart, pass the former port, so that clients can reconnect. Without a port, a free port is chosen. */
  readonly port?: number;
  readonly signal?: AbortSignal;
  /** PostgreSQL settings that replace the usual settings, such as `shared_buffers: '1GB'`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * PostgreSQL ends when this process ends, even after kill -9. The caller must have the data directory's lock.
 * @throws StartupError, or InvalidConfigurationError if another version made the cluster (PostgreSQL's data)
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { fast = false } = options;
  const binaries = postgresBinaries();
  assertSameMajor(options.cluster, binaries.major);
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

/**
 * The cluster (PostgreSQL's data) gets its final name only when everything is on disk. The caller must have the data
 * directory's lock.
 */
export async function createFilledCluster(
  link: string,
  passwords: Required<Passwords>,
  signal: AbortSignal,
  fill: (urls: DatabaseUrls) => Promise<void>,
): Promise<void> {
  const binaries = postgresBinaries();
  await createCluster(link, async (draft) => {
    try {
      await initialiseCluster(draft, { binaries, passwords, fast: false });
      await fillCluster(
        await startServer(binaries.postgres, draft, { signal, settings: FOR_LOADING }),
        passwords,
        fill,
      );
    } catch (error) {
      rmSync(draft.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      throw error;
    }
  });
}

/**
 * These settings make loading faster: PostgreSQL writes no write-ahead log for tables that are emptied and filled in
 * one transaction.
 */
const FOR_LOADING = { wal_level: 'minimal', max_wal_senders: '0' };

async function fillCluster(
  { server, port }: RunningServer,
  passwords: Required<Passwords>,
  fill: (urls: DatabaseUrls) => Promise<void>,
): Promise<void> {
  const failed = server.exitedUnexpectedly.then((reason) =>
    Promise.reject(new StartupError(`PostgreSQL ended: ${reason}`)),
  );
  try {
    const filled = fill(databaseUrls(passwords, port)).catch(async (error: unknown) => {
      // If the server has ended, `failed` has a better reason than `error`, but may reject a moment later.
      await Promise.race([failed, pause(1_000)]);
      throw error;
    });
    await Promise.race([failed, filled]);
    if (!(await server.stop())) throw new StartupError('PostgreSQL could not write everything to its disk');
  } finally {
    await server.stop();
  }
}

/** The service uses `url`. The owner of the tables uses `migrationUrl`. */
export type DatabaseUrls = Pick<EmbeddedPostgres, 'url' | 'migrationUrl'>;

export function databaseUrls({ password, ownerPassword }: Passwords, port: number): DatabaseUrls {
  const url = databaseUrl(DATABASE, password, port);
  return { url, migrationUrl: ownerPassword === undefined ? url : databaseUrl(OWNER, ownerPassword, port) };
}

function databaseUrl(role: string, password: string, port: number): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

interface RunningServer {
  readonly server: PostgresServer;
  readonly port: number;
}

const MAX_PORT_ATTEMPTS = 5;

async function startServer(
  program: string,
  cluster: Cluster,
  options: Omit<EmbeddedOptions, 'cluster' | keyof Passwords>,
): Promise<RunningServer> {
  const { maxConnections = 200, fast = false, port: givenPort, signal, settings = {} } = options;
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted();
    const port = givenPort ?? (await freePort());
    const server = new PostgresServer(program, cluster, [
      ...serverSettings(cluster.path, port, maxConnections),
      ...(fast ? NO_SYNC : []),
      ...settingOptions(...Object.entries(settings).map(([name, value]) => `${name}=${value}`)),
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

const FOR_ONE_SERVICE = ['shared_buffers=64MB', 'io_method=sync', 'max_logical_replication_workers=0', 'jit=off'];

/**
 * These settings keep statements and rows out of PostgreSQL's log, because both can contain personal data and secret
 * tokens.
 */
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

/** Another process may still take the port before the caller uses it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
