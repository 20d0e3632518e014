import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** A test case for any runner: `for (const { name, run } of cases) test(name, run)`. `run` rejects on failure. */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Turns checks into test cases, with their names as titles. Each test case creates its own subject. */
export function toContractCases<Subject>(
  create: () => Subject | Promise<Subject>,
  checks: Readonly<Record<string, (subject: Subject) => Promise<void> | void>>,
): ContractCase[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: async () => check(await create()) }));
}

interface Watched {
  readonly allowedPort: number;
  readonly addresses: string[];
}

/**
 * Records the connections and requests that `work` makes, including those of its timers and callbacks.
 * @param allowedPort the database's port, not recorded
 * @returns `host:port` of connections, and hosts of requests
 */
export async function recordConnections(allowedPort: number, work: () => Promise<unknown>): Promise<readonly string[]> {
  const scope = new AsyncLocalStorage<Watched>();
  const watched = { allowedPort, addresses: [] };
  const restore = interceptConnect((parameters) => noteAddress(parameters, scope.getStore()));
  const noteRequest = (message: unknown) => scope.getStore()?.addresses.push(hostOf(message));
  for (const name of REQUESTS) channel(name).subscribe(noteRequest);
  try {
    await scope.run(watched, work);
    return watched.addresses;
  } finally {
    restore();
    for (const name of REQUESTS) channel(name).unsubscribe(noteRequest);
  }
}

/** Diagnostic channels that report requests. They also report a request that reuses an open connection. */
const REQUESTS = ['undici:request:create', 'http.client.request.start'];

function hostOf(message: unknown): string {
  const { request } = message as { request: { origin?: string | URL; host?: string } };
  return String(request.origin ?? request.host);
}

/**
 * Calls `onConnect` for each connection. Replaces `Socket.prototype.connect`, because Node's diagnostic channels report
 * no TLS connections.
 * @returns a function that restores `connect`
 */
function interceptConnect(onConnect: (parameters: readonly unknown[]) => void): () => void {
  const original = Reflect.get(Socket.prototype, 'connect') as (...parameters: unknown[]) => Socket;
  function connect(this: Socket, ...parameters: unknown[]): Socket {
    onConnect(parameters);
    return original.apply(this, parameters);
  }
  Reflect.set(Socket.prototype, 'connect', connect);
  return () => void Reflect.set(Socket.prototype, 'connect', original);
}

/** The parameters of `connect` are options, or port and host, or a list that contains either. */
function noteAddress([first, second]: readonly unknown[], watched: Watched | undefined): void {
  if (!watched) return;
  if (Array.isArray(first)) return noteAddress(first, watched);
  const given = typeof first === 'object' && first !== null ? first : { port: first, host: second };
  const { port, host = 'localhost', path } = given as { port?: number | string; host?: string; path?: string };
  if (Number(port) !== watched.allowedPort) watched.addresses.push(path ?? `${host}:${port}`);
}
