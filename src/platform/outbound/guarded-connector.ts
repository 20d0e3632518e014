import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isLocalhost, LOOPBACK_ADDRESSES } from '../../kernel/localhost.js';
import type { AddressGuard } from './address-guard.js';
import { createNameResolver } from './name-resolver.js';
import { OutboundError, toOutboundError } from './outbound-error.js';

const SYSTEM_RESOLVER = createNameResolver();

/** All addresses of a name. */
type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  readonly guard: Pick<AddressGuard, 'permits'>;
  /** Resolving, connecting and the TLS handshake together. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates to trust instead of the built-in ones. */
  readonly ca?: string | string[];
  /** The same, parsed once: parsing all authorities takes tens of milliseconds per connect. */
  readonly secureContext?: SecureContext;
  /** The system's resolver by default. */
  readonly resolve?: Resolver;
}

/**
 * An undici connector that checks every address before it opens a socket. A name is resolved once, inside the connect,
 * and the socket goes to exactly the checked addresses, which excludes DNS rebinding. One refused address refuses the
 * name: which one would be used is chance. A literal is checked here, because Node never calls `lookup` for it.
 * Failures arrive as {@link OutboundError}.
 */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs = 5_000, ca, secureContext, resolve = SYSTEM_RESOLVER } = options;
  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const permits = (address: string) => guard.permits(address, port);
    if (isIP(target.hostname) > 0 && !permits(target.hostname)) return callback(blockedError(target.hostname), null);
    const connect = buildConnector({
      ...(ca === undefined ? {} : { ca }),
      ...(secureContext === undefined ? {} : { secureContext }),
      allowH2: false,
      minVersion: 'TLSv1.2',
      timeout: connectTimeoutMs,
      lookup: guardedLookup(resolve, permits),
    });
    return connect(target, (...[error, socket]) =>
      error ? callback(toOutboundError(error) ?? error, null) : callback(null, socket),
    );
  };
}

/**
 * `dns.lookup` as sockets call it; fails unless every address is permitted. `localhost` is asked of no resolver: it is the
 * loopback addresses that are permitted.
 */
function guardedLookup(resolve: Resolver, permits: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses;
      if (!first) return callback(new OutboundError('dns', `${hostname} has no address`), '');
      if (!addresses.every(({ address }) => permits(address))) return callback(blockedError(hostname), '');
      return all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    };
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
