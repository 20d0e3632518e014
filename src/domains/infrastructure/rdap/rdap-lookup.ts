import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../../kernel/clock.js';
import type { TimedLookupResult } from '../../application/ports/registry-lookup.js';
import { Deadline } from '../../../platform/outbound/deadline.js';
import { type AdmissionRequest, DEFAULT_ADMISSION } from '../../domain/lookup/operator-budget.js';
import type { DomainName } from '../../domain/name/domain-name.js';
import type { LookupErrorCode } from '../../domain/lookup/lookup-result.js';
import {
  type RequestOutcome,
  isRejection,
  RegistryAdmission,
  type Rejection,
} from '../rate-limiting/registry-admission.js';
import { toNotSentFailure } from '../rate-limiting/not-sent-failure.js';
import { toPrintable } from '../answer-text/printable.js';
import { toServerAddress, queryUrl, type RdapServer, redirectTarget } from './rdap-redirect.js';
import { type ParsedResponse, toLookupResult } from '../parsed-response.js';
import { parseRdapResponse } from './rdap-response-parser.js';
import type { HttpNoResponse, HttpReply } from './bounded-http-request.js';
import { RegistryHttpClient } from './registry-http-client.js';

const MAX_RESPONSE_BYTES = 512 * 1_024;
const MAX_REDIRECTS = 3;
const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** Some registries ban whole networks with these. */
const REFUSAL_STATUSES = [401, 403];
/** How long a redirected request waits for admission. */
const REDIRECT_WAIT_TIMEOUT_MS = 3 * SECOND;

/** One response on the way: its origin and its meaning. */
interface Hop {
  readonly url: URL;
  readonly reply: HttpReply | HttpNoResponse;
  readonly parsed: ParsedResponse;
  readonly observedAt: Date;
  /** The redirect target, if it may be followed. */
  readonly next: URL | null;
}

/** Sends one RDAP query (RFC 7480, 9082, 9083) to the authoritative server of the name. */
@Injectable()
export class RdapLookup {
  constructor(
    private readonly http: RegistryHttpClient,
    private readonly admission: RegistryAdmission,
    private readonly clock: Clock,
  ) {}

  /** @param timeoutMs for all hops together, from admission on */
  async lookUp(
    name: DomainName,
    server: RdapServer,
    timeoutMs: number,
    request = DEFAULT_ADMISSION,
  ): Promise<TimedLookupResult> {
    const firstUrl = queryUrl(server, name);
    const deadline = new HopDeadline(timeoutMs);
    const hop = await this.followRedirects(name, server, firstUrl, deadline, request);
    const result = isRejection(hop)
      ? toNotSentFailure(hop, 'rdap', firstUrl.host, this.clock.now())
      : toLookupResult(hop.parsed, {
          ...{ source: 'rdap', server: hop.url.host, httpStatus: hop.reply.status, observedAt: hop.observedAt },
        });
    return { result, remainingMs: deadline.remainingMs };
  }

  private async followRedirects(
    name: DomainName,
    server: RdapServer,
    firstUrl: URL,
    deadline: HopDeadline,
    request: AdmissionRequest,
  ) {
    let hop = await this.query(name, server, firstUrl, deadline, request);
    for (let left = MAX_REDIRECTS - 1; !isRejection(hop) && hop.next; left--) {
      const { observedAt, next } = hop;
      const redirectRequest = {
        priority: request.priority,
        maxWaitMs: Math.min(deadline.remainingMs, REDIRECT_WAIT_TIMEOUT_MS),
        isRedirect: true,
      };
      hop = await this.query(name, server, next, deadline, redirectRequest, left);
      if (!isRejection(hop)) hop = { ...hop, observedAt };
    }
    return hop;
  }

  private query(
    name: DomainName,
    server: RdapServer,
    url: URL,
    deadline: HopDeadline,
    request: AdmissionRequest,
    redirectsLeft = MAX_REDIRECTS,
  ): Promise<Hop | Rejection> {
    const send = async () => {
      const observedAt = this.clock.now();
      const { signal } = deadline;
      const reply = await this.http.get(url, { accept: 'application/rdap+json', maxBytes: MAX_RESPONSE_BYTES, signal });
      const parsed =
        reply.kind === 'reply' ? parseReply(name, reply, this.clock.now()) : parseNoResponse(reply, signal.aborted);
      const next = isRedirect(reply) && redirectsLeft > 0 ? redirectTarget(reply.location, url, server, name) : null;
      return { url, reply, parsed, observedAt, next };
    };
    const { isOverride } = server;
    return this.admission.run(toServerAddress({ base: url, isOverride }), request, send, (hop) =>
      toRequestOutcome(hop, name),
    );
  }
}

/** The time limit of all hops together; it starts with the first request, not with the wait for admission. */
class HopDeadline {
  private startedDeadline: Deadline | null = null;

  constructor(private readonly timeoutMs: number) {}

  get signal(): Deadline {
    return (this.startedDeadline ??= new Deadline(Math.max(this.timeoutMs, 1)));
  }

  get remainingMs(): number {
    return this.startedDeadline?.remainingMs ?? this.timeoutMs;
  }
}

/**
 * Unusable answers do not count against the operator. Timeouts, failed connections and 5xx are failures; 401, 403
 * and throttling block or count as failures. A followed redirect says nothing: the front end may be healthy while
 * the server behind it is down.
 */
function toRequestOutcome({ reply, parsed, next }: Hop, { ascii: domain }: DomainName): RequestOutcome {
  if (next) return { kind: 'ignored' };
  if (parsed.kind === 'facts') return { kind: 'answered' };
  const { code, retryAfterSeconds } = parsed;
  const status = reply.status ?? 0;
  if (code === 'registry_throttled' || REFUSAL_STATUSES.includes(status))
    return { kind: 'throttled', domain, retryAfterSeconds };
  const isUnreachable = code === 'registry_unreachable' || code === 'registry_timeout';
  return isUnreachable || status >= 500 ? { kind: 'failed', domain } : { kind: 'answered' };
}

function isRedirect(reply: HttpReply | HttpNoResponse): reply is HttpReply {
  return reply.kind === 'reply' && REDIRECT_STATUSES.includes(reply.status);
}

/** A redirect that was not followed: it led elsewhere, or there were too many. */
function parseReply(name: DomainName, reply: HttpReply, now: Date): ParsedResponse {
  if (!isRedirect(reply)) return parseRdapResponse(name, reply, now);
  const excerpt = `redirect to ${toPrintable(reply.location ?? 'nowhere')}`.slice(0, 500);
  return toFailure('registry_answer_unusable', 'rdap.redirect', excerpt);
}

function parseNoResponse({ failure, detail }: HttpNoResponse, hasTimedOut: boolean): ParsedResponse {
  const excerpt = toPrintable(detail).slice(0, 500);
  switch (failure) {
    case 'not_http':
    case 'too_large':
    case 'compressed':
      return toFailure('registry_answer_unusable', `rdap.${failure}`, excerpt);
    case 'timeout':
      return toFailure(hasTimedOut ? 'registry_timeout' : 'registry_unreachable', 'rdap.timeout', excerpt);
    case 'blocked':
    case 'dns':
    case 'connect':
    case 'tls':
      return toFailure('registry_unreachable', `rdap.${failure}`, excerpt);
  }
}

function toFailure(code: LookupErrorCode, rule: string, excerpt: string): ParsedResponse {
  return { kind: 'failure', code, rule, excerpt, retryAfterSeconds: null };
}
