import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { DEFAULT_ADMISSION } from '../../domain/lookup/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { Evidence, LookupResult, LookupErrorCode } from '../../domain/lookup/lookup-result.js';
import { type RequestOutcome, isRejection, RegistryAdmission } from '../rate-limiting/registry-admission.js';
import { toNotSentFailure } from '../rate-limiting/not-sent-failure.js';
import { toPrintable } from '../rdap/rdap-json.js';
import { BUILT_IN_WHOIS_SERVERS } from '../registry-directory/whois-built-in-servers.js';
import { WhoisClient, type WhoisNoResponse } from './whois-client.js';
import { whoisRulesFor } from './parsing/whois-tld-rules.js';
import { parseWhoisResponse, type ParsedWhoisResponse } from './parsing/whois-response-parser.js';
import { formatServer, type WhoisServer } from '../registry-directory/whois-server-directory.js';

/** One WHOIS query (RFC 3912) at the server that is authoritative for the name. Only its A-label form is sent. */
@Injectable()
export class WhoisLookup {
  constructor(
    private readonly client: WhoisClient,
    private readonly gate: RegistryAdmission,
    private readonly clock: Clock,
  ) {}

  /** @param deadline milliseconds, by the monotonic timer, from its turn on. */
  async look(
    name: DomainName,
    server: WhoisServer,
    deadline: number,
    asking = DEFAULT_ADMISSION,
  ): Promise<LookupResult> {
    const question = async () => {
      asking.onAdmitted?.();
      const observedAt = this.clock.now();
      const signal = AbortSignal.timeout(Math.max(deadline, 1));
      const reply = await this.client.ask(server, buildQuery(name, server), signal);
      const reading =
        reply.kind === 'reply' ? parseWhoisResponse(name, reply.body) : parseNoResponse(reply, signal.aborted);
      return { reading, observedAt };
    };
    const answer = await this.gate.ask(server, asking, question, ({ reading }) => toRequestOutcome(reading, name));
    if (isRejection(answer)) return toNotSentFailure(answer, 'whois', formatServer(server), this.clock.now());
    return toWhoisLookupResult(answer.reading, formatServer(server), answer.observedAt);
  }
}

function toRequestOutcome(reading: ParsedWhoisResponse, { ascii: about }: DomainName): RequestOutcome {
  if (reading.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = reading;
  if (code === 'registry_throttled') return { kind: 'throttled', about, retryAfterSeconds };
  const isSilent = code === 'registry_unreachable' || code === 'registry_timeout';
  return isSilent ? { kind: 'failed', about } : { kind: 'answered' };
}

/** A registry's own form goes to its own server only; whoever else was named in its place may not know it. */
function buildQuery({ ascii, tld }: DomainName, { host, isOverride }: WhoisServer): string {
  const isOwn = !isOverride || host === BUILT_IN_WHOIS_SERVERS.get(tld);
  return isOwn ? whoisRulesFor(tld).query.replace('{name}', ascii) : ascii;
}

function parseNoResponse({ failure, detail }: WhoisNoResponse, isOver: boolean): ParsedWhoisResponse {
  const codes: Record<WhoisNoResponse['failure'], LookupErrorCode> = {
    too_large: 'registry_answer_unusable',
    timeout: isOver ? 'registry_timeout' : 'registry_unreachable',
    ...{ blocked: 'registry_unreachable', dns: 'registry_unreachable', connect: 'registry_unreachable' },
    tls: 'registry_unreachable',
  };
  const excerpt = toPrintable(detail).slice(0, 500);
  return { kind: 'failure', rule: `whois.${failure}`, excerpt, code: codes[failure], retryAfterSeconds: null };
}

/** A reading as the look that came of it. */
export function toWhoisLookupResult(reading: ParsedWhoisResponse, server: string, observedAt: Date): LookupResult {
  const { rule, excerpt } = reading;
  const outcome = reading.kind === 'facts' ? reading.facts.outcome : 'inconclusive';
  const evidence: Evidence[] = [{ source: 'whois', server, outcome, rule, httpStatus: null, observedAt, excerpt }];
  if (reading.kind === 'failure') {
    const { code, retryAfterSeconds } = reading;
    return { kind: 'failure', code, registry: server, retryAfterSeconds, observedAt, evidence };
  }
  const proven = { source: 'whois', observedAt, evidence, witnesses: 1, recheckWithinMs: null } as const;
  return { kind: 'observation', facts: reading.facts, ...proven };
}
