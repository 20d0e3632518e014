import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../domain/lookup/operator-budget.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import { RegistryLookup, type TimedLookupResult } from '../application/ports/registry-lookup.js';
import { rejectOutOfZoneAbsence } from '../domain/lookup/registry-zone.js';
import { RdapBootstrap } from './registry-directory/rdap-bootstrap.js';
import { RdapLookup } from './rdap/rdap-lookup.js';
import { SandboxLookup } from './sandbox-lookup.js';
import { WhoisLookup } from './whois/whois-lookup.js';
import { WhoisServerDirectory } from './registry-directory/whois-server-directory.js';

/**
 * Routes a lookup by TLD: to the sandbox for `.test`, to the RDAP server of the registry, or to its WHOIS server
 * where it has no RDAP. There is no fallback from RDAP to WHOIS: WHOIS could only contradict the authority.
 */
@Injectable()
export class LookupRouter extends RegistryLookup {
  constructor(
    private readonly config: LookupConfig,
    private readonly sandbox: SandboxLookup,
    private readonly bootstrap: RdapBootstrap,
    private readonly rdap: RdapLookup,
    private readonly whoisServers: WhoisServerDirectory,
    private readonly whois: WhoisLookup,
    private readonly clock: Clock,
  ) {
    super();
  }

  async lookUp(
    name: DomainName,
    timeoutMs: number,
    admission: AdmissionRequest = DEFAULT_ADMISSION,
  ): Promise<TimedLookupResult> {
    if (this.config.sandbox && name.tld === 'test')
      return { result: this.sandbox.lookUp(name), remainingMs: timeoutMs };
    const { result, remainingMs } = await this.queryRegistry(name, timeoutMs, admission);
    return { result: rejectOutOfZoneAbsence(name, result), remainingMs };
  }

  private async queryRegistry(
    name: DomainName,
    timeoutMs: number,
    admission: AdmissionRequest,
  ): Promise<TimedLookupResult> {
    const rdapServer = this.bootstrap.serverFor(name);
    if (rdapServer) return this.rdap.lookUp(name, rdapServer, timeoutMs, admission);
    const whoisServer = await this.whoisServers.findServer(name);
    if (whoisServer) return this.whois.lookUp(name, whoisServer, timeoutMs, admission);
    return { result: this.unsupported(name), remainingMs: timeoutMs };
  }

  private unsupported({ tld }: DomainName): LookupResult {
    const failure = { registry: `.${tld}`, retryAfterSeconds: null, observedAt: this.clock.now(), evidence: [] };
    return { kind: 'failure', code: 'tld_unsupported', ...failure };
  }
}
