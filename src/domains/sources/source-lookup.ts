import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import type { LookupResult } from '../domain/lookup/lookup-result.js';
import type { AdmissionRequest } from '../domain/lookup/operator-budget.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { toNotSentFailure } from '../rate-limiting/not-sent-failure.js';
import {
  isRejection,
  RegistryAdmission,
  type Rejection,
  type RequestOutcome,
} from '../rate-limiting/registry-admission.js';
import type { HopDeadline } from './hop-deadline.js';
import { type ParsedResponse, toLookupResult } from '../domain/lookup/parsed-response.js';
import { outcomeOf, outcomeOfRejection, QueryObserver } from './query-observer.js';
import type { RegistryServer } from '../domain/lookup/registry-server.js';
import type { RegistrySource } from '../transport/registry-source.js';
import { SANDBOX_SERVER, SandboxSource } from './sandbox-source.js';

const MAX_REFERRALS = 3;
/** How long a query at the next server waits for admission. */
const REFERRAL_WAIT_TIMEOUT_MS = 3 * SECOND;
/** Some registries ban whole networks with these. */
const REFUSAL_STATUSES = [401, 403];

/** One answer on the way to the last. */
interface Hop<Server extends RegistryServer> {
  readonly server: Server;
  readonly answer: SourceAnswer<Server>;
  readonly observedAt: Date;
}

/** Asks one source: admission, deadline and referrals are the engine's, whatever the source. */
@Injectable()
export class SourceLookup {
  constructor(
    private readonly admission: RegistryAdmission,
    private readonly clock: Clock,
    private readonly observer: QueryObserver = QueryObserver.none,
  ) {}

  /** @param deadline of all queries together, from the first admission on */
  async run<Server extends RegistryServer>(
    source: RegistrySource<Server>,
    server: Server,
    name: DomainName,
    deadline: HopDeadline,
    request: AdmissionRequest,
  ): Promise<LookupResult> {
    if (source instanceof SandboxSource) return this.simulate(source, name);
    const hop = await this.followReferrals(source, server, name, deadline, request);
    if (isRejection(hop)) return toNotSentFailure(hop, source.name, server.label, this.clock.now());
    const { answer, observedAt } = hop;
    const origin = { source: source.name, server: hop.server.label, httpStatus: answer.httpStatus, observedAt };
    return toLookupResult(answer.kind === 'referral' ? toUnfollowed(answer) : answer, origin);
  }

  private async followReferrals<Server extends RegistryServer>(
    source: RegistrySource<Server>,
    server: Server,
    name: DomainName,
    deadline: HopDeadline,
    request: AdmissionRequest,
  ): Promise<Hop<Server> | Rejection> {
    let hop = await this.ask(source, server, name, deadline, request, MAX_REFERRALS);
    for (let left = MAX_REFERRALS; !isRejection(hop) && hop.answer.kind === 'referral' && left > 0; left--) {
      const { observedAt, answer } = hop;
      const next = { priority: request.priority, maxWaitMs: waitForReferralMs(deadline), isRedirect: true };
      hop = await this.ask(source, answer.server, name, deadline, next, left - 1);
      if (!isRejection(hop)) hop = { ...hop, observedAt };
    }
    return hop;
  }

  private async ask<Server extends RegistryServer>(
    source: RegistrySource<Server>,
    server: Server,
    name: DomainName,
    deadline: HopDeadline,
    request: AdmissionRequest,
    referralsLeft: number,
  ): Promise<Hop<Server> | Rejection> {
    const send = async () => {
      const observedAt = this.clock.now();
      const startedAt = performance.now();
      const answer = await source.ask(name, server, deadline.start());
      this.observeQuery(source, server, outcomeOf(answer), (performance.now() - startedAt) / SECOND);
      return { server, answer, observedAt };
    };
    const hop = await this.admission.run(server, request, send, ({ answer }) =>
      toRequestOutcome(answer, name, referralsLeft > 0),
    );
    if (isRejection(hop)) this.observeQuery(source, server, outcomeOfRejection(hop), null);
    return hop;
  }

  private observeQuery(
    { name: protocol }: RegistrySource,
    server: RegistryServer,
    outcome: string,
    seconds: number | null,
  ): void {
    this.observer.observe({ protocol, server, outcome, seconds });
  }

  /** Nothing is sent, so nothing has to be admitted; two simulated protocols agree. */
  private async simulate(source: SandboxSource, name: DomainName): Promise<LookupResult> {
    const observedAt = this.clock.now();
    const { witnesses, recheckWithinMs, ...answer } = await source.ask(name);
    const { name: sandbox } = source;
    this.observeQuery(source, SANDBOX_SERVER, outcomeOf(answer), 0);
    const result = toLookupResult(answer, {
      ...{ source: sandbox, server: SANDBOX_SERVER.label, httpStatus: null, observedAt },
    });
    return result.kind === 'failure' ? result : { ...result, witnesses, recheckWithinMs };
  }
}

function waitForReferralMs(deadline: HopDeadline): number {
  return Math.min(deadline.remainingMs, REFERRAL_WAIT_TIMEOUT_MS);
}

/** There were too many. */
function toUnfollowed({ rule, excerpt }: SourceAnswer): ParsedResponse {
  return { kind: 'failure', code: 'registry_answer_unusable', rule, excerpt, retryAfterSeconds: null };
}

/**
 * Unusable answers do not count against the operator. Timeouts, failed connections and 5xx are failures; 401, 403
 * and throttling block or count as failures. A followed referral says nothing: the front end may be healthy while
 * the server behind it is down.
 */
function toRequestOutcome(
  answer: SourceAnswer<RegistryServer>,
  { ascii: domain }: DomainName,
  mayFollow: boolean,
): RequestOutcome {
  if (answer.kind === 'referral') return { kind: mayFollow ? 'ignored' : 'answered' };
  if (answer.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = answer;
  const status = answer.httpStatus ?? 0;
  if (code === 'registry_throttled' || REFUSAL_STATUSES.includes(status))
    return { kind: 'throttled', domain, retryAfterSeconds };
  const isUnreachable = code === 'registry_unreachable' || code === 'registry_timeout';
  return isUnreachable || status >= 500 ? { kind: 'failed', domain } : { kind: 'answered' };
}
