import { getDomain } from 'tldts';
import type { DomainName } from '../../domain/name/domain-name.js';

/** An RDAP server: where its paths begin, and whether the operator of this service named it. */
export interface RdapServer {
  readonly base: URL;
  readonly isOverride: boolean;
}

/** Where it listens, for its operator's budget. */
export function toServerAddress({ base, isOverride }: RdapServer) {
  return { host: base.hostname, port: Number(portOf(base)), isOverride };
}

/** Where RFC 9082 §3.1.3 puts a domain. */
export function queryUrl(server: RdapServer, name: DomainName): URL {
  return new URL(`domain/${name.ascii}`, server.base);
}

/**
 * Where a redirect leads, or null when it may not be followed: another operator's server speaks for nobody here, a
 * plain connection could be anybody's, and another name's absence says nothing about this one.
 */
export function redirectTarget(location: string | null, from: URL, server: RdapServer, name: DomainName): URL | null {
  if (location === null || !URL.canParse(location, from.href)) return null;
  const target = new URL(location, from);
  if (target.username !== '' || target.password !== '') return null;
  const isTrusted = server.isOverride ? isSameServer(target, server.base) : target.protocol === 'https:';
  return isTrusted && isSameOperator(target, server.base) && isQueryFor(target, name) ? target : null;
}

/** An override is trusted with plain http as well, yet only as the `host:port` that was named. */
function isSameServer(one: URL, other: URL): boolean {
  return /^https?:$/.test(one.protocol) && one.hostname === other.hostname && portOf(one) === portOf(other);
}

function isSameOperator(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || registrableHost(one) === registrableHost(other);
}

/** The registrable domain of a host; a bare address is an operator of its own. */
function registrableHost({ hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

function isQueryFor({ pathname }: URL, name: DomainName): boolean {
  return pathname.toLowerCase().replace(/\/$/, '').endsWith(`/domain/${name.ascii}`);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
