import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../../../config/sections.js';
import type { OperatorBudget } from '../../../kernel/operator-budget.js';
import { SANDBOX_OPERATOR } from '../../domain/lookup/operator-budget.js';
import { type SupportedTld, RegistryDirectory } from '../../application/ports/registry-directory.js';
import { RdapBootstrap } from './rdap-bootstrap.js';
import { toServerAddress } from '../rdap/rdap-redirect.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { formatServer, WhoisServerDirectory } from './whois-server-directory.js';

const SANDBOX_TLD: SupportedTld = { tld: 'test', source: 'sandbox', server: 'sandbox', operator: SANDBOX_OPERATOR };

/** Lists the TLDs of the RDAP bootstrap, the built-in tables and the overrides, each with its current server. */
@Injectable()
export class BootstrapRegistryDirectory extends RegistryDirectory {
  constructor(
    private readonly config: LookupConfig,
    private readonly bootstrap: RdapBootstrap,
    private readonly whoisServers: WhoisServerDirectory,
    private readonly operatorResolver: OperatorResolver,
  ) {
    super();
  }

  tlds(): SupportedTld[] {
    const rdap = [...this.bootstrap.allServers()].map(([tld, server]): SupportedTld => {
      return {
        tld,
        source: 'rdap',
        server: server.base.host,
        operator: this.operatorResolver.resolve(toServerAddress(server)),
      };
    });
    const whois = [...this.whoisServers.allServers()].map(([tld, server]): SupportedTld => {
      return { tld, source: 'whois', server: formatServer(server), operator: this.operatorResolver.resolve(server) };
    });
    const byTld = new Map([...whois, ...rdap].map((supported) => [supported.tld, supported]));
    if (this.config.sandbox) byTld.set(SANDBOX_TLD.tld, SANDBOX_TLD);
    return [...byTld.values()];
  }

  budgetOf(operator: string): OperatorBudget | null {
    return operator === SANDBOX_OPERATOR ? null : this.operatorResolver.budgetFor(operator);
  }
}
