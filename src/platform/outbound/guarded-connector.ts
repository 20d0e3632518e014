import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';
import { createNameResolver } from './name-resolver.js';
import { OutboundError, toOutboundError } from './outbound-error.js';

const SYSTEM_RESOLVER = createNameResolver();

/** All addresses of a name. */
export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface ConnectorOptions {
  readonly guard: Pick<AddressGuard, 'permits'>;
  /** Milliseconds for resolving, connecting and the TLS handshake together. */
  readonly connectTimeoutMs?: number;
  /** PEM of the authorities to trust instead of the built-in ones. */
  readonly ca?: string | string[];
  /** The same, read once: to read all authorities anew takes tens of milliseconds at every connect. */
  readonly secureContext?: SecureContext;
  /** The system's name servers unless a test scripts another. */
  readonly resolve?: Resolver;
}

/**
 * An undici connector that judges every address before a socket is opened. A name is resolved once, inside the
 * connect, and the socket goes to exactly the addresses judged: nothing is left to rebind. One refused answer among
 * several refuses the name, since which of them gets used is chance. A literal is judged by itself, because Node
 * never asks `lookup` about one. Whatever fails arrives as an {@link OutboundError}.
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

/** `dns.lookup` as sockets call it, answering only when every address is permitted. */
function guardedLookup(resolve: Resolver, permits: (address: string) => boolean): LookupFunction {
  return (hostname, { all }, callback) => {
    const answer = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses;
      if (!first) return callback(new OutboundError('dns', `${hostname} has no address`), '');
      if (!addresses.every(({ address }) => permits(address))) return callback(blockedError(hostname), '');
      return all ? callback(null, [...addresses]) : callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, ''));
  };
}

function blockedError(host: string): OutboundError {
  return new OutboundError('blocked', `${host} is not at a public address`);
}
