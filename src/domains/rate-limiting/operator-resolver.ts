import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';
import { LookupConfig } from '../../config/sections.js';
import type { OperatorBudget } from '../../kernel/operator-budget.js';
import { ExtensionSources } from '../extension-sources/extension-sources.js';
import { SANDBOX_OPERATOR } from '../domain/operators.js';
import type { ServerAddress } from '../domain/lookup/lookup-source.js';

/**
 * Names the operator whose rate limit applies to a server. The first of these that exists is the name:
 *
 * 1. the operator in the budgets table for the server's `host:port`, its host or a domain above the host;
 * 2. the lookup source, if it has its own limit;
 * 3. the server's `host:port`, if a setting names this server for a TLD;
 * 4. the registrable domain of the host.
 */
@Injectable()
export class OperatorResolver {
  private readonly operatorByHost: ReadonlyMap<string, string>;

  constructor(
    private readonly config: LookupConfig,
    private readonly extensionSources: ExtensionSources = ExtensionSources.none,
  ) {
    const { operators } = config.budgets;
    this.operatorByHost = new Map(
      Object.entries(operators).flatMap(([name, { hosts }]) => hosts.map((host) => [host, name])),
    );
  }

  resolve({ host, port, isOverride, operator }: ServerAddress): string {
    const key = `${host.toLowerCase()}:${port}`;
    return this.findListed(key) ?? operator ?? derivedOperator(key, isOverride);
  }

  budgetFor(operator: string): OperatorBudget {
    if (operator === SANDBOX_OPERATOR) return NO_LIMIT;
    const { operators, privateNetwork, default: fallback } = this.config.budgets;
    const listed = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
    const own = listed ?? this.extensionSources.budgetOf(operator);
    return own ?? (isPrivateNetworkServer(operator) ? privateNetwork : fallback);
  }

  private findListed(hostAndPort: string): string | undefined {
    const host = withoutPort(hostAndPort);
    const labels = host.split('.');
    const parentDomains = labels.map((_, index) => labels.slice(index).join('.'));
    return [hostAndPort, host, ...parentDomains]
      .map((one) => this.operatorByHost.get(one))
      .find((name) => name !== undefined);
  }
}

/** The sandbox has no rate limit (0), because it sends no queries. */
const NO_LIMIT: OperatorBudget = { perSecond: 0, burst: 1, concurrency: 1 };

function derivedOperator(hostAndPort: string, isOverride: boolean): string {
  if (isOverride) return hostAndPort;
  const host = withoutPort(hostAndPort);
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/**
 * Whether the operator is a server in the local network. Only operators of servers in RDAP_OVERRIDES and
 * WHOIS_OVERRIDES have the form `host:port`.
 */
function isPrivateNetworkServer(operator: string): boolean {
  const [, host = ''] = /^(.+):\d+$/.exec(operator) ?? [];
  const address = host.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(address)) return ipaddr.process(address).range() !== 'unicast';
  return host !== '' && !host.includes('.');
}

function withoutPort(hostAndPort: string): string {
  return hostAndPort.slice(0, hostAndPort.lastIndexOf(':'));
}
