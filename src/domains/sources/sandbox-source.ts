import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { SANDBOX_OPERATOR } from '../domain/operators/admission.js';
import { isSandboxTld, sandboxAnswer } from './sandbox-scenarios.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { RegistryServer, SourceAnswer } from '../domain/lookup/lookup-source.js';
import { RegistrySource } from '../transport/registry-source.js';

const SANDBOX_SERVER: RegistryServer = {
  host: 'sandbox',
  port: 0,
  label: 'sandbox',
  isOverride: false,
  operator: SANDBOX_OPERATOR,
};

/** Simulates the registry of `.test` without network and without delays, even for timeouts. */
@Injectable()
export class SandboxSource extends RegistrySource {
  readonly name = 'sandbox';
  readonly role = 'only';
  override readonly isSimulated = true;

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

  ask(name: DomainName): Promise<SourceAnswer<RegistryServer>> {
    return Promise.resolve({ ...sandboxAnswer(name.ascii, this.clock.now()), httpStatus: null });
  }
}
