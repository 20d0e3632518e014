import { Resolver } from 'node:dns/promises';
import type { Config } from '../../../config/config.js';
import { type Clock, SECOND } from '../../../kernel/clock.js';
import { AddressGuard } from '../../../platform/outbound/address-guard.js';
import { DnsWitness } from '../../domain/dns-witness.js';
import { DelegationWitness } from './delegation-witness.js';
import type { DnsServer } from './dns-exchange.js';
import { ParentServers } from './parent-servers.js';

/** The witness that the settings want: the parents' own servers, those of `DNS_SERVERS` in their place, or none. */
export function dnsWitnessOf({ lookup, nat64Prefixes: nat64 }: Config, clock: Clock): DnsWitness {
  const { dnsServers, allowNetworks } = lookup;
  if (dnsServers.includes('off')) return new NoWitness();
  if (dnsServers.length > 0) return new DelegationWitness(standingIn(dnsServers.map(serverAt)), clock);
  const resolver = new Resolver({ timeout: SECOND, tries: 2 });
  return new DelegationWitness(new ParentServers(resolver, new AddressGuard(allowNetworks, { nat64 })), clock);
}

class NoWitness extends DnsWitness {
  hear() {
    return Promise.resolve(null);
  }
}

/** The operator named them, so they are asked about every name, and no guard judges where they are. */
function standingIn(servers: readonly DnsServer[]) {
  return { of: () => Promise.resolve(servers), forget: () => undefined };
}

/** @param setting `192.0.2.1:53` or `[2001:db8::1]:53` */
function serverAt(setting: string): DnsServer {
  const colon = setting.lastIndexOf(':');
  const address = setting.slice(0, colon).replace(/^\[|\]$/g, '');
  return { label: setting, address, port: Number(setting.slice(colon + 1)), isParent: true };
}
