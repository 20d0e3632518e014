import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isLocalhost, LOOPBACK_ADDRESSES } from '../../kernel/localhost.js';
import type { AddressGuard } from './address-guard.js';
import { OutboundError, toOutboundError } from './outbound-error.js';
import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';

/** Returns all IP addresses of a host name. */
type ResolveName = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  readonly guard: Pick<AddressGuard, 'permits'>;
  /** Limits the total time for resolving the name, connecting and the TLS handshake. */
  readonly connectTimeoutMs?: number;
  /**
   * Certificates to trust instead of the built-in ones. Pass one parsed context, because parsing takes tens of
   * milliseconds.
   */
  readonly secureContext?: SecureContext;
  /** The default is `createNameResolver()`. */
  readonly resolve?: ResolveName;
  /** If true, offers HTTP/2 before HTTP/1.1. */
  readonly offersHttp2?: boolean;
}

/**
 * Makes an undici connector that resolves a name once and connects only to checked addresses, which excludes DNS
 * rebinding.
 */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs = 5_000, secureContext, resolve = createNameResolver() } = options;
  const offersHttp2 = options.offersHttp2 === true;
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const permits = (address: string) => guard.permits(address, port);
    // Node calls `lookup` only for host names, so IP addresses are checked here.
    if (isIP(target.hostname) > 0 && !permits(target.hostname)) return callback(blockedError(target.hostname), null);
    const connect = buildConnector({
      ...(secureContext === undefined ? {} : { secureContext }),
      allowH2: offersHttp2,
      preferH2: offersHttp2,
      minVersion: 'TLSv1.2',
      timeout: connectTimeoutMs,
      lookup: guardedLookup(resolve, permits),
    });
    return connect(target, (...[error, socket]) =>
      error ? callback(toOutboundError(error) ?? error, null) : callback(null, socket),
    );
  };
}

/** Replaces `dns.lookup` for sockets. Fails unless every address of the name is permitted. */
function guardedLookup(resolve: ResolveName, permits: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses;
      if (!first) return callback(new OutboundError('dns', `${hostname} has no address`), '');
      if (!addresses.every(({ address }) => permits(address))) return callback(blockedError(hostname), '');
      return all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    };
    // `localhost` is not resolved, because it stands for the permitted loopback addresses.
    if (isLocalhost(hostname.toLowerCase().replace(/\.$/, ''))) {
      const loopback = LOOPBACK_ADDRESSES.filter(permits);
      if (loopback.length === 0) return callback(blockedError(hostname), '');
      return answer(loopback.map((address) => ({ address, family: isIP(address) })));
    }
    resolve(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, ''));
  };
}

function blockedError(host: string): OutboundError {
  return new OutboundError('blocked', `${host} is not at a public address`);
}

export interface ResolverOptions {
  /** The name servers as `address:port`. The default is the system's name servers. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly timeoutMs?: number;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/**
 * After the answer for IPv4 or IPv6, the wait for the other answer. RFC 8305 §3 recommends 50 ms; half a second does
 * little harm here.
 */
const SECOND_FAMILY_WAIT_MS = 500;
/** The first try of a DNS query waits this long for an answer. The second try may take twice as long. */
const FIRST_TRY_TIMEOUT_MS = 1_500;

/**
 * Resolves names by DNS queries, because getaddrinfo blocks one of libuv's four threads while a name server is silent.
 */
export function createNameResolver(options: ResolverOptions = {}): ResolveName {
  const { hostsFile = HOSTS_FILE } = options;
  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    // A name without a dot may need the system's search list, so getaddrinfo resolves it.
    if (!name.includes('.')) return lookup(name, { all: true });
    const hostsEntries = await findInHostsFile(hostsFile, name);
    return hostsEntries.length > 0 ? hostsEntries : resolveByDns(name, options);
  };
}

/**
 * Queries DNS for both families. Returns IPv4 addresses first, because IPv6 connections fail slowly in a network
 * without IPv6.
 */
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

/** Returns the addresses of a name in the hosts file. Returns none if the file is unreadable. */
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
