import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { SANDBOX_OPERATOR } from '../domain/lookup/operator-budget.js';
import { isSandboxTld, sandboxAnswer } from '../domain/lookup/sandbox-scenarios.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { ParsedResponse } from '../domain/lookup/parsed-response.js';
import type { RegistryServer } from '../domain/lookup/registry-server.js';
import { RegistrySource } from '../transport/registry-source.js';

export const SANDBOX_SERVER: RegistryServer = {
  ...{ host: 'sandbox', port: 0, label: 'sandbox', isOverride: false, operator: SANDBOX_OPERATOR },
};

/** What no other source may say: how many witnesses there are, and when to recheck. */
type SandboxResponse = ParsedResponse & {
  readonly httpStatus: null;
  readonly witnesses: number;
  readonly recheckWithinMs: number | null;
};

/** Simulates the registry of `.test` without network and without delays, even for timeouts. */
@Injectable()
export class SandboxSource extends RegistrySource {
  readonly name = 'sandbox';
  readonly role = 'only';

  constructor(
    private readonly config: LookupConfig,
    private readonly clock: Clock,
  ) {
    super();
  }

  servers(): ReadonlyMap<string, RegistryServer> {
    return new Map(this.config.sandbox ? [['test', SANDBOX_SERVER]] : []);
  }

  serverFor({ tld }: DomainName): RegistryServer | null {
    return this.hasServer(tld) ? SANDBOX_SERVER : null;
  }

  hasServer(tld: string): boolean {
    return this.config.sandbox && isSandboxTld(tld);
  }

  ask(name: DomainName): Promise<SandboxResponse> {
    const answer = sandboxAnswer(name.ascii, this.clock.now());
    const common = { excerpt: 'simulated', httpStatus: null };
    return Promise.resolve({ ...{ witnesses: 1, recheckWithinMs: null }, ...answer, ...common });
  }
}
