import { Resolver } from 'node:dns/promises';
import type { LookupConfig } from '../../config/sections.js';
import { type Clock, SECOND } from '../../kernel/clock.js';
import { AddressGuard } from '../../platform/outbound/address-guard.js';
import { DelegationChecker } from './delegation-checker.js';
import { AuthoritativeDelegationChecker } from './authoritative-delegation-checker.js';
import type { DnsServer } from './dns-client.js';
import { ParentNameServers } from './parent-name-servers.js';

/** By the settings: the parent zones' own servers, those of `DNS_SERVERS` instead, or no DNS check. */
export function createDelegationChecker(
  { dnsServers, lookupAllowNetworks, nat64Prefixes: nat64 }: LookupConfig,
  clock: Clock,
): DelegationChecker {
  if (dnsServers.includes('off')) return new DisabledDelegationChecker();
  if (dnsServers.length > 0)
    return new AuthoritativeDelegationChecker(fixedServers(dnsServers.map(parseServer)), clock);
  const resolver = new Resolver({ timeout: SECOND, tries: 2 });
  return new AuthoritativeDelegationChecker(
    new ParentNameServers(resolver, new AddressGuard(lookupAllowNetworks, { nat64 })),
    clock,
  );
}

class DisabledDelegationChecker extends DelegationChecker {
  check() {
    return Promise.resolve(null);
  }

  read() {
    return Promise.resolve(null);
  }
}

/** The administrator configured these servers: they answer for every name, and no address guard applies. */
function fixedServers(servers: readonly DnsServer[]) {
  return { find: () => Promise.resolve(servers), evict: () => undefined };
}

/** @param setting `192.0.2.1:53` or `[2001:db8::1]:53` */
function parseServer(setting: string): DnsServer {
  const colon = setting.lastIndexOf(':');
  const address = setting.slice(0, colon).replace(/^\[|\]$/g, '');
  return { label: setting, address, port: Number(setting.slice(colon + 1)), isParent: true };
}
