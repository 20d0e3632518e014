import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/**
 * One case of a contract suite. Every test runner takes them: `for (const { name, run } of cases) test(name, run)`.
 * `run` rejects with what is wrong.
 */
export interface ContractCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Turns checks by their names into cases, each with a subject of its own. */
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
 * Runs the work and notes the addresses and requests of its connections, also from its timers and callbacks. The rest
 * of the process is not noted.
 * @param allowedPort of the database
 * @returns `host:port` of each connection, and where each request goes
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

/** Requests of `fetch` and of `node:http`: a connection that is kept alive serves them without a new one. */
const REQUESTS = ['undici:request:create', 'http.client.request.start'];

function hostOf(message: unknown): string {
  const { request } = message as { request: { origin?: string | URL; host?: string } };
  return String(request.origin ?? request.host);
}

/** Node has no event for the connections of TLS sockets. @returns what undoes it */
function interceptConnect(onConnect: (parameters: readonly unknown[]) => void): () => void {
  const original = Reflect.get(Socket.prototype, 'connect') as (...parameters: unknown[]) => Socket;
  function connect(this: Socket, ...parameters: unknown[]): Socket {
    onConnect(parameters);
    return original.apply(this, parameters);
  }
  Reflect.set(Socket.prototype, 'connect', connect);
  return () => void Reflect.set(Socket.prototype, 'connect', original);
}

/** `connect(options)`, `connect(port, host)`, or either in the list that `net.connect` makes of its own. */
function noteAddress([first, second]: readonly unknown[], watched: Watched | undefined): void {
  if (!watched) return;
  if (Array.isArray(first)) return noteAddress(first, watched);
  const given = typeof first === 'object' && first !== null ? first : { port: first, host: second };
  const { port, host = 'localhost', path } = given as { port?: number | string; host?: string; path?: string };
  if (Number(port) !== watched.allowedPort) watched.addresses.push(path ?? `${host}:${port}`);
}
