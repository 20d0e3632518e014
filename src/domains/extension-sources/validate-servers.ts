import { isIP } from 'node:net';
import type { SourceServer } from '../domain/lookup/lookup-source.js';

/** There are some 1,500 TLDs. */
const MAX_SERVERS = 5_000;
const TLD = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const HOST = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;

export interface ValidatedServers {
  readonly servers: ReadonlyMap<string, SourceServer>;
  /** One sentence for each entry that was left out. */
  readonly problems: readonly string[];
}

/** Copies the servers of an extension's source that can be asked. */
export function validateServers(given: Iterable<readonly [string, SourceServer]>): ValidatedServers {
  const servers = new Map<string, SourceServer>();
  const problems: string[] = [];
  for (const [tld, server] of given) {
    if (servers.size + problems.length >= MAX_SERVERS) {
      problems.push(`more than ${MAX_SERVERS}`);
      break;
    }
    const problem = TLD.test(tld) ? findServerProblem(server) : 'no TLD in lower case, without its dot';
    if (problem === null) servers.set(tld, { host: server.host.toLowerCase(), port: server.port });
    else problems.push(`${JSON.stringify(tld)}: ${problem}`);
  }
  return { servers, problems };
}

/** Why this server cannot be asked; null if it can. */
export function findServerProblem(server: unknown): string | null {
  const { host, port } = Object(server) as Readonly<Record<string, unknown>>;
  if (typeof host !== 'string' || !(HOST.test(host) || isIP(host.replace(/^\[|\]$/g, ''))))
    return 'its host is no host name';
  return Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536 ? null : 'its port is not 1 to 65535';
}
