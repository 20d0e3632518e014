import { Injectable } from '@nestjs/common';
import type { TimedLookupResult } from '../../application/ports/registry-lookup.js';
import { Clock } from '../../../kernel/clock.js';
import { DEFAULT_ADMISSION } from '../../domain/lookup/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupErrorCode } from '../../domain/lookup/lookup-result.js';
import { type RequestOutcome, isRejection, RegistryAdmission } from '../rate-limiting/registry-admission.js';
import { toNotSentFailure } from '../rate-limiting/not-sent-failure.js';
import { toPrintable } from '../answer-text/printable.js';
import { BUILT_IN_WHOIS_SERVERS } from '../registry-directory/whois-built-in-servers.js';
import { WhoisClient, type WhoisNoResponse } from './whois-client.js';
import { whoisRulesFor } from './parsing/whois-tld-rules.js';
import { type ParsedResponse, toLookupResult } from '../parsed-response.js';
import { parseWhoisResponse } from './parsing/whois-response-parser.js';
import { formatServer, type WhoisServer } from '../registry-directory/whois-server-directory.js';

/** Sends one WHOIS query (RFC 3912) for the A-label form to the authoritative server of the name. */
@Injectable()
export class WhoisLookup {
  constructor(
    private readonly client: WhoisClient,
    private readonly admission: RegistryAdmission,
    private readonly clock: Clock,
  ) {}

  /** @param timeoutMs from admission on */
  async lookUp(
    name: DomainName,
    server: WhoisServer,
    timeoutMs: number,
    request = DEFAULT_ADMISSION,
  ): Promise<TimedLookupResult> {
    let deadline = Infinity;
    const send = async () => {
      deadline = performance.now() + timeoutMs;
      const observedAt = this.clock.now();
      const signal = AbortSignal.timeout(Math.max(timeoutMs, 1));
      const reply = await this.client.query(server, buildQuery(name, server), signal);
      const parsed =
        reply.kind === 'reply' ? parseWhoisResponse(name, reply.body) : parseNoResponse(reply, signal.aborted);
      return { parsed, observedAt };
    };
    const answer = await this.admission.run(server, request, send, ({ parsed }) => toRequestOutcome(parsed, name));
    const result = isRejection(answer)
      ? toNotSentFailure(answer, 'whois', formatServer(server), this.clock.now())
      : toLookupResult(answer.parsed, {
          ...{ source: 'whois', server: formatServer(server), httpStatus: null, observedAt: answer.observedAt },
        });
    return { result, remainingMs: Math.min(timeoutMs, deadline - performance.now()) };
  }
}

function toRequestOutcome(parsed: ParsedResponse, { ascii: domain }: DomainName): RequestOutcome {
  if (parsed.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = parsed;
  if (code === 'registry_throttled') return { kind: 'throttled', domain, retryAfterSeconds };
  const isUnreachable = code === 'registry_unreachable' || code === 'registry_timeout';
  return isUnreachable ? { kind: 'failed', domain } : { kind: 'answered' };
}

/** A registry's own query syntax is sent to its own server only; an override may not know it. */
function buildQuery({ ascii, tld }: DomainName, { host, isOverride }: WhoisServer): string {
  const isOwn = !isOverride || host === BUILT_IN_WHOIS_SERVERS.get(tld);
  return isOwn ? whoisRulesFor(tld).query.replace('{name}', ascii) : ascii;
}

function parseNoResponse({ failure, detail }: WhoisNoResponse, hasTimedOut: boolean): ParsedResponse {
  const codes: Record<WhoisNoResponse['failure'], LookupErrorCode> = {
    too_large: 'registry_answer_unusable',
    timeout: hasTimedOut ? 'registry_timeout' : 'registry_unreachable',
    ...{ blocked: 'registry_unreachable', dns: 'registry_unreachable', connect: 'registry_unreachable' },
    tls: 'registry_unreachable',
  };
  const excerpt = toPrintable(detail).slice(0, 500);
  return { kind: 'failure', rule: `whois.${failure}`, excerpt, code: codes[failure], retryAfterSeconds: null };
}
