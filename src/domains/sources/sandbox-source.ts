import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { after, Clock, DAY, HOUR, SECOND } from '../../kernel/clock.js';
import { SANDBOX_OPERATOR } from '../domain/operators.js';
import type { DomainName } from '../domain/name/domain-name.js';
import type { RegistryServer, SourceAnswer } from '../domain/lookup/lookup-source.js';
import { RegistrySource } from '../transport/registry-source.js';
import {
  type LookupErrorCode,
  type ParsedResponse,
  SIMULATED_TESTIMONY,
  type Simulation,
} from '../domain/lookup/lookup-result.js';
import { type RegistrationRecord, toRegistrationRecord } from '../domain/record/registration-record.js';
import { absent, found, reserved, type RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import type { EppStatus } from '../domain/lifecycle/epp-status.js';

const SANDBOX_SERVER: RegistryServer = {
  host: 'sandbox',
  port: 0,
  label: 'sandbox',
  isOverride: false,
  operator: SANDBOX_OPERATOR,
};

/** Simulates the registry of `.test` without network. Every answer comes at once, even a timeout. */
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
    return this.config.sandbox && tld === 'test' ? SANDBOX_SERVER : null;
  }

  ask(name: DomainName): Promise<SourceAnswer<RegistryServer>> {
    return Promise.resolve({ ...sandboxAnswer(name.ascii, this.clock.now()), httpStatus: null });
  }
}

type Scenario = (now: Date) => ParsedResponse;

const EXCERPT = 'simulated';

/** A simulated answer counts like answers of two protocols, so that one lookup is enough to confirm a change. */
const TWO_WITNESSES = 2;
const REGISTERED_AT = new Date('2020-01-01T00:00:00Z');

const SCENARIOS = new Map<string, Scenario>([
  ['available', () => toFacts('available', absent)],
  ['registered', (now) => toFacts('registered', registeredFacts(now))],
  ['expiring', (now) => toFacts('expiring', found({ registeredAt: REGISTERED_AT, expiresAt: endOfDay(now) }))],
  ['expired-grace', (now) => toFacts('expired-grace', registeredFacts(now, 'auto renew period'))],
  ['redemption', (now) => toFacts('redemption', registeredFacts(now, 'redemption period', 'pending delete'))],
  ['pending-delete', (now) => toFacts('pending-delete', registeredFacts(now, 'pending delete'))],
  ['reserved', () => toFacts('reserved', reserved)],
  ['throttled', () => toFailure('throttled', 'registry_throttled', 30)],
  ['timeout', () => toFailure('timeout', 'registry_timeout')],
  ['unreachable', () => toFailure('unreachable', 'registry_unreachable')],
  ['garbage', () => toFailure('garbage', 'registry_answer_unusable')],
  ['flapping', flapping],
]);

/** A prefix such as `ci--` does not change the scenario, so that each scenario has many names. */
const LABEL = /^(?:[a-z0-9-]+--)?(?:(lifecycle|moving)-(\d{2,9})s|([a-z-]+))$/;
const MIN_CYCLE_SECONDS = 12;

/** Simulates names below `.test` (RFC 6761). The answer depends only on name and time, so that all processes agree. */
export function sandboxAnswer(name: string, now: Date): ParsedResponse {
  const [, cycle, seconds, scenario = ''] = LABEL.exec(name.slice(0, -'.test'.length)) ?? [];
  if (Number(seconds) >= MIN_CYCLE_SECONDS)
    return cycle === 'moving' ? moving(Number(seconds), now) : lifecycleStage(Number(seconds), now);
  return SCENARIOS.get(scenario)?.(now) ?? toFacts('registered', registeredFacts(now));
}

/**
 * Simulates a life cycle of twelve equal parts, which starts again every `seconds`. In the last two parts, the name is
 * available. Each cycle is a new registration.
 */
function lifecycleStage(seconds: number, now: Date): ParsedResponse {
  const stageMs = (seconds * SECOND) / 12;
  const start = after(now, -(now.getTime() % (seconds * SECOND)));
  const index = Math.floor((now.getTime() - start.getTime()) / stageMs);
  const taken = (expiresAt: Date, ...statuses: string[]) => found({ registeredAt: start, expiresAt, statuses });
  const nextYear = after(start, 366 * DAY);
  const soon = after(start, Math.max(12 * HOUR, 5 * stageMs));
  const stages = [
    ...Array<RegistrationFacts>(3).fill(taken(nextYear, 'active')),
    ...Array<RegistrationFacts>(2).fill(taken(soon, 'active')),
    taken(nextYear, 'auto renew period'),
    ...Array<RegistrationFacts>(2).fill(taken(nextYear, 'redemption period', 'pending delete')),
    ...Array<RegistrationFacts>(2).fill(taken(nextYear, 'pending delete')),
  ];
  return toFacts('lifecycle', stages[index] ?? absent, stageMs);
}

/** The record changes every `seconds`. The answer asks for the next lookup after a sixth of this time. */
function moving(seconds: number, now: Date): ParsedResponse {
  const record = movingRecord(seconds, now);
  const facts = registeredFacts(now, ...(record.statuses ?? []));
  return { ...toFacts('moving', facts, (seconds * SECOND) / 6), record };
}

/** The name comes and goes faster than a watch confirms a change, so no watch may report its absence. */
function flapping(now: Date): ParsedResponse {
  const isThere = Math.floor(now.getTime() / (20 * SECOND)) % 2 === 0;
  const answer = toFacts('flapping', isThere ? registeredFacts(now) : absent, 10 * SECOND);
  return { ...answer, simulated: { ...answer.simulated, witnesses: 1 } };
}

/** Returns facts with an expiry 365 to 731 days ahead, so that the name is never `expiring`. */
function registeredFacts(now: Date, ...statuses: string[]): RegistrationFacts {
  const expiresAt = new Date(Date.UTC(now.getUTCFullYear() + 2, 0, 1));
  return found({ registeredAt: REGISTERED_AT, expiresAt, statuses: statuses.length > 0 ? statuses : ['active'] });
}

function endOfDay(now: Date): Date {
  return after(now, DAY - (now.getTime() % DAY));
}

function toFacts(scenario: string, facts: RegistrationFacts, recheckWithinMs: number | null = null) {
  const record = facts.outcome === 'found' && { record: sandboxRecord(facts.statuses) };
  const said = facts.outcome === 'absent' && { testimony: SIMULATED_TESTIMONY };
  const simulated: Simulation = { witnesses: TWO_WITNESSES, recheckWithinMs, ...said };
  return { kind: 'facts', rule: `sandbox.${scenario}`, excerpt: EXCERPT, facts, ...record, simulated } as const;
}

function toFailure(scenario: string, code: LookupErrorCode, retryAfterSeconds: number | null = null) {
  return { kind: 'failure', rule: `sandbox.${scenario}`, excerpt: EXCERPT, code, retryAfterSeconds } as const;
}

/**
 * The name servers and the registrar of a simulated name. Names of the scenario `moving` alternate between two such
 * pairs.
 */
interface SandboxHolding {
  readonly nameservers: readonly string[];
  readonly registrar: { readonly name: string; readonly ianaId: string };
}

/** IANA reserves the registrar ids 9995 and 9996 for tests of registries. */
const SANDBOX_REGISTRAR: SandboxHolding = {
  nameservers: ['ns1.sandbox.test', 'ns2.sandbox.test'],
  registrar: { name: 'Sandbox Registrar', ianaId: '9995' },
};
const OTHER_REGISTRAR: SandboxHolding = {
  nameservers: ['ns1.elsewhere.test', 'ns2.elsewhere.test'],
  registrar: { name: 'Other Sandbox Registrar', ianaId: '9996' },
};
const DS = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: '5A'.repeat(32) };

function sandboxRecord(statuses: readonly EppStatus[]): RegistrationRecord {
  return toRegistrationRecord({ ...SANDBOX_REGISTRAR, statuses, ds: [DS] });
}

/** Returns a record whose registrar changes every `seconds`. */
function movingRecord(seconds: number, now: Date): RegistrationRecord {
  const turn = Math.floor(now.getTime() / (seconds * SECOND));
  const lastTransferAt = new Date(turn * seconds * SECOND);
  if (turn % 2 === 0)
    return toRegistrationRecord({
      ...SANDBOX_REGISTRAR,
      statuses: ['client transfer prohibited'],
      ds: [DS],
      lastTransferAt,
    });
  return toRegistrationRecord({ ...OTHER_REGISTRAR, statuses: ['active'], ds: [], lastTransferAt });
}
