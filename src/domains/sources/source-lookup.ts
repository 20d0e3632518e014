import { Injectable, Optional } from '@nestjs/common';
import { Clock, SECOND } from '../../kernel/clock.js';
import type { SourceAnswer, RegistryServer } from '../domain/lookup/lookup-source.js';
import {
  type LookupResult,
  type ParsedResponse,
  toLookupResult,
  type EvidenceSource,
  type LookupFailure,
} from '../domain/lookup/lookup-result.js';
import type { AdmissionRequest } from '../domain/operators.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { isIcannTld } from '../domain/name/icann-suffixes.js';
import {
  type Permit,
  RegistryAdmission,
  type Rejection,
  type RequestOutcome,
} from '../rate-limiting/registry-admission.js';
import { LookupMetrics } from './registry-metrics.js';
import type { RegistrySource } from '../transport/registry-source.js';
import type { Deadline } from '../../platform/outbound/deadline.js';

const MAX_REFERRALS = 3;
/** How long a query waits for admission after a referral to another server. */
const REFERRAL_WAIT_TIMEOUT_MS = 3 * SECOND;
/** HTTP statuses that count as throttling, because some registries answer banned networks with them. */
const REFUSAL_STATUSES = [401, 403];

/** Asks a source within its rate limit and a deadline, and follows a few referrals to other servers. */
@Injectable()
export class SourceLookup {
  constructor(
    private readonly admission: RegistryAdmission,
    private readonly clock: Clock,
    /** Missing in commands that run without the service. */
    @Optional() private readonly metrics?: LookupMetrics,
  ) {}

  /** @param deadline for all queries together; its time begins when the rate limit admits the first query */
  async run<Server extends RegistryServer>(
    source: RegistrySource<Server>,
    first: Server,
    name: DomainName,
    deadline: Deadline,
    admission: AdmissionRequest,
  ): Promise<LookupResult> {
    let [server, request] = [first, admission];
    for (let referralsLeft = MAX_REFERRALS; ; referralsLeft -= 1) {
      const permit = source.isSimulated ? NOTHING_IS_SENT : await this.admission.acquire(server, request);
      if (permit.kind === 'rejected') {
        this.observe(source, server, `not_sent_${permit.reason}`, null);
        return toNotSentFailure(permit, source.name, first.label, this.clock.now());
      }
      let outcome: RequestOutcome = { kind: 'ignored' }; // stays like this if the request throws, which is a bug of ours
      const observedAt = this.clock.now(); // the time of this query, since an earlier server may have taken seconds
      const startedAt = performance.now();
      let answer: SourceAnswer<Server>;
      try {
        answer = await source.ask(name, server, deadline.start());
        outcome = toRequestOutcome(answer, name, referralsLeft > 0);
      } finally {
        permit.release(outcome);
      }
      this.observe(source, server, outcomeOf(answer), (performance.now() - startedAt) / SECOND);
      if (answer.kind !== 'referral' || referralsLeft === 0) {
        const { httpStatus } = answer;
        const isPrivateZone = source.hasPrivateZone && !isIcannTld(name.ascii);
        const origin = { source: source.name, server: server.label, httpStatus, observedAt, isPrivateZone };
        return toLookupResult(answer.kind === 'referral' ? toUnfollowed(answer) : answer, origin);
      }
      server = answer.server;
      const maxWaitMs = Math.min(deadline.remainingMs, REFERRAL_WAIT_TIMEOUT_MS);
      request = { priority: request.priority, maxWaitMs, isRedirect: true };
    }
  }

  private observe(
    { name: protocol }: RegistrySource,
    server: RegistryServer,
    outcome: string,
    seconds: number | null,
  ): void {
    this.metrics?.observe({ protocol, server, outcome, seconds });
  }
}

/** The permit for a simulated registry, which has no rate limit, and whose errors say nothing about an operator. */
const NOTHING_IS_SENT: Permit = { kind: 'permit', release: () => undefined };

function outcomeOf(answer: SourceAnswer<RegistryServer>): string {
  if (answer.kind === 'facts') return answer.facts.outcome;
  return answer.kind === 'failure' ? answer.code : 'referral';
}

function toUnfollowed({ rule, excerpt }: SourceAnswer): ParsedResponse {
  return { kind: 'failure', code: 'registry_answer_unusable', rule, excerpt, retryAfterSeconds: null };
}

function toRequestOutcome(
  answer: SourceAnswer<RegistryServer>,
  { ascii: domain }: DomainName,
  mayFollow: boolean,
): RequestOutcome {
  // A followed referral does not end a series of failures, because the next server may be down.
  if (answer.kind === 'referral') return { kind: mayFollow ? 'ignored' : 'answered' };
  if (answer.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = answer;
  const status = answer.httpStatus ?? 0;
  if (code === 'registry_throttled' || REFUSAL_STATUSES.includes(status))
    return { kind: 'throttled', domain, retryAfterSeconds };
  const isUnreachable = code === 'registry_unreachable' || code === 'registry_timeout';
  return isUnreachable || status >= 500 ? { kind: 'failed', domain } : { kind: 'answered' };
}

const EXCERPT_BY_REASON: Readonly<Record<Rejection['reason'], string>> = {
  budget: 'not sent: rate limit of this operator used up',
  block: 'not sent: operator blocked by Retry-After',
  breaker: 'not sent: circuit breaker of this operator is open',
};

function toNotSentFailure(
  { reason, retryAfterSeconds }: Rejection,
  source: EvidenceSource,
  server: string,
  observedAt: Date,
): LookupFailure {
  const common = { source, server, outcome: 'inconclusive', rule: `not_sent.${reason}`, httpStatus: null } as const;
  return {
    kind: 'failure',
    code: reason === 'breaker' ? 'registry_unreachable' : 'registry_throttled',
    registry: server,
    retryAfterSeconds,
    observedAt,
    notSent: reason,
    evidence: [{ ...common, observedAt, excerpt: EXCERPT_BY_REASON[reason] }],
  };
}
