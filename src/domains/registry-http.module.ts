import { Global, Module } from '@nestjs/common';
import type { Budgets } from '../config/budgets.js';
import { LookupConfig } from '../config/sections.js';
import { AddressGuard } from '../platform/outbound/address-guard.js';
import { createOutboundAgent, Http2Connections, type OutboundOptions } from '../platform/outbound/outbound-agent.js';
import { RegistryHttpClient } from './transport/registry-http-client.js';

/** The connection limit per server is at least this, even where the rate limit allows fewer queries at a time. */
const MIN_CONNECTIONS_PER_SERVER = 8;
/** A process opens at most this many connections to a server. More would cost TLS handshakes and serve few requests. */
const MAX_CONNECTIONS_PER_SERVER = 64;

const registryHttp = {
  provide: RegistryHttpClient,
  inject: [LookupConfig],
  useFactory: (config: LookupConfig) =>
    createRegistryHttp({ guard: lookupGuard(config), connections: connectionsFor(config.budgets) }),
};

/** The HTTP client of lookups, which extensions' sources can also inject. */
@Global()
@Module({ providers: [registryHttp], exports: [registryHttp] })
export class RegistryHttpModule {}

/** Creates a client and its agents. The client closes the agents at shutdown. */
export function createRegistryHttp(options: OutboundOptions): RegistryHttpClient {
  const connectionPerRequest = createOutboundAgent({ ...options, keepAliveMs: 0 });
  return new RegistryHttpClient(createOutboundAgent(options), connectionPerRequest, new Http2Connections(options));
}

export function lookupGuard({ lookupAllowNetworks, nat64Prefixes: nat64 }: LookupConfig): AddressGuard {
  return new AddressGuard(lookupAllowNetworks, { nat64 });
}

function connectionsFor({ default: common, privateNetwork: own, operators }: Budgets): number {
  const largest = Math.max(...[common, own, ...Object.values(operators)].map((one) => one.concurrency));
  return Math.min(Math.max(largest, MIN_CONNECTIONS_PER_SERVER), MAX_CONNECTIONS_PER_SERVER);
}
