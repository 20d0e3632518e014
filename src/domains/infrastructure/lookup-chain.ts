import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import { Clock } from '../../kernel/clock.js';
import type { DomainName } from '../domain/domain-name.js';
import { type Look, RegistryLookup } from '../domain/look.js';
import { RdapBootstrap } from './rdap-bootstrap.js';
import { RdapLookup } from './rdap-lookup.js';
import { SandboxLookup } from './sandbox-lookup.js';

/** Asks whoever speaks for a name's TLD: the sandbox for `.test`, else the RDAP server of its registry. */
@Injectable()
export class LookupChain extends RegistryLookup {
  constructor(
    private readonly config: Config,
    private readonly sandbox: SandboxLookup,
    private readonly bootstrap: RdapBootstrap,
    private readonly rdap: RdapLookup,
    private readonly clock: Clock,
  ) {
    super();
  }

  async look(name: DomainName, deadline: number): Promise<Look> {
    if (this.config.sandbox && name.tld === 'test') return this.sandbox.look(name);
    const server = this.bootstrap.serverFor(name);
    return server ? this.rdap.look(name, server, deadline) : this.unsupported(name);
  }

  private unsupported({ tld }: DomainName): Look {
    const asked = { registry: `.${tld}`, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'tld_unsupported', ...asked };
  }
}
