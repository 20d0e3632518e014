import type { Asking } from '../../../src/domains/domain/budget.js';
import { DnsWitness, type Testimony } from '../../../src/domains/domain/dns-witness.js';
import { type DomainName, PublicSuffixes } from '../../../src/domains/domain/domain-name.js';
import { type Delegation, type Look, type Proof, RegistryLookup } from '../../../src/domains/domain/look.js';
import { found, type RegistrationFacts } from '../../../src/domains/domain/registration.js';
import type { Clock } from '../../../src/kernel/clock.js';

export class EverySuffix extends PublicSuffixes {
  standingOf() {
    return { kind: 'registrable' } as const;
  }
}

/** Answers with its current facts, or with a failure; holds its answer back while it is told to. */
export class ScriptedRegistry extends RegistryLookup {
  asked: { name: string; deadline: number }[] = [];
  facts: RegistrationFacts | null = found({ statuses: ['active'] });
  source: Proof['source'] = 'rdap';
  held: Promise<void> = Promise.resolve();
  /** When its turn comes. */
  turn: () => Promise<unknown> = () => Promise.resolve();

  constructor(private readonly clock: Clock) {
    super();
  }

  async look({ ascii }: DomainName, deadline: number, asking?: Asking): Promise<Look> {
    this.asked.push({ name: ascii, deadline });
    await this.turn();
    asking?.onTurn?.();
    const { facts, source } = this;
    const observedAt = this.clock.now();
    await this.held;
    const said = { source, server: 'rdap.example', outcome: facts?.outcome ?? 'inconclusive', rule: 'script' } as const;
    const evidence = [{ ...said, httpStatus: null, observedAt, excerpt: '' }];
    if (facts) return { kind: 'proof', facts, source, observedAt, evidence, witnesses: 1, lookAgainWithin: null };
    const registry = 'rdap.example';
    return { kind: 'failure', code: 'registry_timeout', registry, retryAfterSeconds: null, observedAt, evidence };
  }
}

/** Says what its script says about every name; null: there is no witness. */
export class ScriptedDns extends DnsWitness {
  asked: { name: string; deadline: number }[] = [];
  says: Delegation | null = null;
  lacksTime = false;

  constructor(private readonly clock: Clock) {
    super();
  }

  async hear({ ascii }: DomainName, deadline: number): Promise<Testimony | null> {
    this.asked.push({ name: ascii, deadline });
    if (this.says === null) return null;
    const said = { source: 'dns', server: 'ns.example', outcome: 'inconclusive', rule: 'dns.script' } as const;
    const evidence = { ...said, httpStatus: null, observedAt: this.clock.now(), excerpt: '' };
    return { delegation: this.says, evidence, lackedTime: this.lacksTime };
  }
}
