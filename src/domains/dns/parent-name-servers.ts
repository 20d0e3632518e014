import { randomInt } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import { HOUR, SECOND } from '../../kernel/clock.js';
import type { AddressGuard } from '../../platform/outbound/address-guard.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { DnsServer } from './dns-client.js';

/** How long servers are cached. Their addresses rarely change, but a failure to find servers may soon be over. */
const CACHE_TTL_MS = HOUR;
const NEGATIVE_CACHE_TTL_MS = 5 * SECOND;
const MAX_CACHED_ZONES = 5_000;
/** How many servers of a zone are used. A zone may have up to thirteen servers, but four suffice. */
const MAX_HOSTS = 4;

type DnsResolver = Pick<Resolver, 'resolveNs' | 'resolve4' | 'resolve6'>;

/**
 * Finds the servers of the zone above a name, to query them directly. A resolver's cache would keep a deleted name's
 * delegation for days.
 */
export class ParentNameServers {
  private readonly zones = new LRUCache<string, Promise<readonly DnsServer[]>>({
    max: MAX_CACHED_ZONES,
    ttl: CACHE_TTL_MS,
  });

  constructor(
    private readonly resolver: DnsResolver,
    private readonly guard: Pick<AddressGuard, 'permits'>,
    private readonly port = 53,
  ) {}

  /** Returns the servers in the order to query, or an empty list. Never rejects. */
  find(name: DomainName): Promise<readonly DnsServer[]> {
    const suffix = parentZone(name);
    const cached = this.zones.get(suffix);
    if (cached) return cached;
    const found = this.resolve(suffix);
    this.zones.set(suffix, found);
    void found.then((servers) => servers.length === 0 && this.zones.set(suffix, found, { ttl: NEGATIVE_CACHE_TTL_MS }));
    return found;
  }

  /** Forgets the servers, which may have moved. Call if no server answered. */
  evict(name: DomainName): void {
    this.zones.delete(parentZone(name));
  }

  /** Searches from the suffix upwards, because not every suffix is a zone: names below `co.jp` are in `jp`. */
  private async resolve(suffix: string): Promise<DnsServer[]> {
    const hosts = await this.resolveNameServers(suffix);
    if (hosts === 'no_zone') return suffix.includes('.') ? this.resolve(dropFirstLabel(suffix)) : [];
    const servers = await Promise.all(
      shuffled(hosts)
        .slice(0, MAX_HOSTS)
        .map((host) => this.resolveAddresses(host)),
    );
    return servers.flat().sort((one, other) => Number(isIpv6(one)) - Number(isIpv6(other)));
  }

  private async resolveNameServers(zone: string): Promise<string[] | 'no_zone'> {
    try {
      return await this.resolver.resolveNs(zone);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      return ['ENODATA', 'ENOTFOUND'].includes(code) ? 'no_zone' : []; // a timeout does not mean "no zone"
    }
  }

  private async resolveAddresses(host: string): Promise<DnsServer[]> {
    const found = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.slice(0, 2) : []));
    return addresses
      .filter((address) => this.guard.permits(address, this.port))
      .map((address) => ({ label: host.toLowerCase(), address, port: this.port, isParent: false }));
  }
}

export function parentZone({ ascii }: DomainName): string {
  return dropFirstLabel(ascii);
}

function dropFirstLabel(zone: string): string {
  return zone.slice(zone.indexOf('.') + 1);
}

/** IPv6 servers are queried last, because many hosts have no route for IPv6. */
function isIpv6({ address }: DnsServer): boolean {
  return address.includes(':');
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((one) => [randomInt(2 ** 32), one] as const)
    .sort(([one], [other]) => one - other)
    .map(([, one]) => one);
}
