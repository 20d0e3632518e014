import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { type Grantable, SANDBOX_OPERATOR } from '../domain/budget.js';
import type { DomainName } from '../domain/domain-name.js';
import { OperatorBudgets } from '../domain/operator-budgets.js';
import { RdapBootstrap } from './rdap-bootstrap.js';
import { addressOf } from './rdap-redirect.js';
import { RegistryOperators } from './registry-operators.js';
import { WhoisServers } from './whois/whois-servers.js';

@Injectable()
export class RegistryBudgets extends OperatorBudgets {
  constructor(
    private readonly config: Config,
    private readonly operators: RegistryOperators,
    private readonly bootstrap: RdapBootstrap,
    private readonly whoisServers: WhoisServers,
  ) {
    super();
  }

  operatorOf(name: DomainName): string {
    if (this.config.sandbox && name.tld === 'test') return SANDBOX_OPERATOR;
    const rdap = this.bootstrap.serverFor(name);
    if (rdap) return this.operators.of(addressOf(rdap));
    const whois = this.whoisServers.knownServerFor(name);
    return whois ? this.operators.of(whois) : `.${name.tld}`;
  }

  grantable(operators: readonly string[], seconds: number): ReadonlyMap<string, Grantable> {
    return new Map(operators.map((operator) => [operator, this.grantableTo(operator, seconds)]));
  }

  take(operator: string, tokens: number): Promise<number> {
    return Promise.resolve(Math.min(tokens, this.grantableTo(operator, 1).tokens));
  }

  private grantableTo(operator: string, seconds: number): Grantable {
    const { perSecond } = this.operators.budgetOf(operator);
    const isUnlimited = operator === SANDBOX_OPERATOR || perSecond === 0;
    return { tokens: isUnlimited ? Infinity : Math.ceil(perSecond * seconds), reopensAt: null };
  }
}
