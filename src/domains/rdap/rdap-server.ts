import { getDomain } from 'tldts';
import type { DomainName } from '../domain/name/domain-name.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';

export interface RdapServer extends RegistryServer {
  /** The base URL of the authoritative server, which stays the same after a redirect. */
  readonly base: URL;
  /**
   * Origin and path before `domain/…` in the next query: those of the base URL up to the last slash. Not used after a
   * redirect.
   */
  readonly origin: string;
  readonly path: string;
  /** The target of a redirect; null for the first query. */
  readonly redirect: URL | null;
}

export function rdapServer(base: URL, isOverride: boolean): RdapServer {
  const { origin, pathname } = new URL('.', base);
  const address = { host: base.hostname, port: Number(portOf(base)), label: base.host };
  return { ...address, isOverride, base, origin, path: pathname, redirect: null };
}

export function redirectedServer({ base, isOverride }: RdapServer, target: URL): RdapServer {
  return { ...rdapServer(target, isOverride), base, redirect: target };
}

export type QueryTarget = Pick<URL, 'origin' | 'pathname' | 'search'>;

/** Returns the URL for a domain (RFC 9082 §3.1.3). An A-label needs no escape. */
export function queryTarget({ redirect, origin, path }: RdapServer, { ascii }: DomainName): QueryTarget {
  return redirect ?? { origin, pathname: `${path}domain/${ascii}`, search: '' };
}

/**
 * Returns null for a redirect to another operator, about another name, or without https. Servers of RDAP_OVERRIDES need
 * no https, but may redirect only to themselves.
 */
export function redirectTarget(location: string | null, from: URL, server: RdapServer, name: DomainName): URL | null {
  if (location === null || !URL.canParse(location, from.href)) return null;
  const target = new URL(location, from);
  if (target.username !== '' || target.password !== '') return null;
  const isTrusted = server.isOverride ? isSameServer(target, server.base) : target.protocol === 'https:';
  return isTrusted && isSameOperator(target, server.base) && isQueryFor(target, name) ? target : null;
}

/** A server of RDAP_OVERRIDES may redirect only to itself, because plain HTTP is allowed for this server. */
function isSameServer(one: URL, other: URL): boolean {
  return /^https?:$/.test(one.protocol) && one.hostname === other.hostname && portOf(one) === portOf(other);
}

function isSameOperator(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || registrableHost(one) === registrableHost(other);
}

/** Returns the registrable domain of a host, or an IP address unchanged. */
function registrableHost({ hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

function isQueryFor({ pathname }: URL, name: DomainName): boolean {
  return pathname.toLowerCase().replace(/\/$/, '').endsWith(`/domain/${name.ascii}`);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
