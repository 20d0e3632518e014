import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { OutboundError } from './outbound-error.js';

export interface ResolverOptions {
  /** `address:port` of name servers; the system's by default. */
  readonly servers?: readonly string[];
  /** The hosts file; the system's by default. */
  readonly hostsFile?: string;
  /** For the whole resolution. */
  readonly timeoutMs?: number;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** Wait for the second address family once the first has answered (RFC 8305 section 3, more generous). */
const SECOND_FAMILY_WAIT_MS = 500;
/** The second try has twice as long. */
const FIRST_TRY_TIMEOUT_MS = 1_500;

/**
 * Resolves all addresses of a name over sockets. getaddrinfo blocks one of libuv's four threads while a name server is
 * silent, so a few names on a tarpit would block all others. It is used only for names without a dot, which no account
 * can point at a tarpit and which need the system's search list.
 */
export function createNameResolver(
  options: ResolverOptions = {},
): (hostname: string) => Promise<readonly LookupAddress[]> {
  const { hostsFile = HOSTS_FILE } = options;
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (!name.includes('.') || name.endsWith('.localhost')) return lookup(name, { all: true });
    const hostsEntries = await findInHostsFile(hostsFile, name);
    return hostsEntries.length > 0 ? hostsEntries : resolveByDns(name, options);
  };
}

/** IPv4 first: without IPv6, a connection would wait for it to fail. */
async function resolveByDns(name: string, { servers, timeoutMs = 5_000 }: ResolverOptions): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: Math.min(FIRST_TRY_TIMEOUT_MS, timeoutMs), tries: 2 });
  if (servers) resolver.setServers(servers);
  const families = [resolver.resolve4(name), resolver.resolve6(name)];
  const timers = [setTimeout(() => resolver.cancel(), timeoutMs)];
  const limitSecondFamily = () => void timers.push(setTimeout(() => resolver.cancel(), SECOND_FAMILY_WAIT_MS));
  for (const family of families) family.then(limitSecondFamily, () => undefined);
  const [four, six] = await Promise.allSettled(families);
  for (const timer of timers) clearTimeout(timer);
  const addresses = [four, six].flatMap((answer) => (answer?.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) throw unresolvedError(name, four?.status === 'rejected' ? four.reason : undefined);
  return addresses.map(toLookupAddress);
}

function unresolvedError(name: string, cause: unknown): OutboundError {
  return new OutboundError('dns', `${name}: ${(cause as Error | undefined)?.message ?? 'no address'}`, { cause });
}

/** An unreadable file has no entries. */
async function findInHostsFile(path: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  if (!text.toLowerCase().includes(name)) return [];
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/));
  return lines.flatMap(([address = '', ...names]) =>
    names.includes(name) && isIP(address) > 0 ? [toLookupAddress(address)] : [],
  );
}

function toLookupAddress(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
