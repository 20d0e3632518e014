import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { DomainName } from '../domain/domain-name.js';
import type { Evidence, Look, LookFailureCode } from '../domain/look.js';
import { printable } from './rdap-json.js';
import { queryUrl, type RdapServer, redirectTarget } from './rdap-redirect.js';
import { type RdapReading, readRdap } from './rdap-response.js';
import { type HttpReply, type HttpSilence, RegistryHttp } from './registry-http.js';

const ANSWER_LIMIT = 512 * 1_024;
const REDIRECTS = 3;
const REDIRECT_STATUS = [301, 302, 303, 307, 308];

/** One RDAP query (RFC 7480, 9082, 9083) at the server that is authoritative for the name. */
@Injectable()
export class RdapLookup {
  constructor(
    private readonly http: RegistryHttp,
    private readonly clock: Clock,
  ) {}

  /** @param deadline milliseconds for all hops together, by the monotonic timer. */
  async look(name: DomainName, server: RdapServer, deadline: number): Promise<Look> {
    const observedAt = this.clock.now();
    const signal = AbortSignal.timeout(Math.max(deadline, 1));
    const { url, reply } = await this.follow(name, server, signal);
    const reading =
      reply.kind === 'reply' ? readAnswer(name, reply, this.clock.now()) : readSilence(reply, signal.aborted);
    return rdapLookOf(reading, url.host, reply.status, observedAt);
  }

  private async follow(name: DomainName, server: RdapServer, signal: AbortSignal) {
    const asking = { accept: 'application/rdap+json', limit: ANSWER_LIMIT, signal };
    let url = queryUrl(server, name);
    let reply = await this.http.get(url, asking);
    for (let hop = 1; hop <= REDIRECTS && isRedirect(reply); hop++) {
      const next = redirectTarget(reply.location, url, server, name);
      if (!next) break;
      url = next;
      reply = await this.http.get(url, asking);
    }
    return { url, reply };
  }
}

function isRedirect(reply: HttpReply | HttpSilence): reply is HttpReply {
  return reply.kind === 'reply' && REDIRECT_STATUS.includes(reply.status);
}

/** A redirect that is still one here led elsewhere, or round in circles. */
function readAnswer(name: DomainName, reply: HttpReply, now: Date): RdapReading {
  if (!isRedirect(reply)) return readRdap(name, reply, now);
  const excerpt = `redirect to ${printable(reply.location ?? 'nowhere')}`.slice(0, 500);
  return failed('registry_answer_unusable', 'rdap.redirect', excerpt);
}

function readSilence({ failure, detail }: HttpSilence, isOver: boolean): RdapReading {
  const excerpt = printable(detail).slice(0, 500);
  switch (failure) {
    case 'not_http':
    case 'too_large':
    case 'compressed':
      return failed('registry_answer_unusable', `rdap.${failure}`, excerpt);
    case 'timeout':
      return failed(isOver ? 'registry_timeout' : 'registry_unreachable', 'rdap.timeout', excerpt);
    case 'blocked':
    case 'dns':
    case 'connect':
    case 'tls':
      return failed('registry_unreachable', `rdap.${failure}`, excerpt);
  }
}

function failed(code: LookFailureCode, rule: string, excerpt: string): RdapReading {
  return { kind: 'failure', code, rule, excerpt, retryAfterSeconds: null };
}

/** A reading as the look that came of it. */
export function rdapLookOf(reading: RdapReading, server: string, httpStatus: number | null, observedAt: Date): Look {
  const { rule, excerpt } = reading;
  const outcome = reading.kind === 'facts' ? reading.facts.outcome : 'inconclusive';
  const evidence: Evidence[] = [{ source: 'rdap', server, outcome, rule, httpStatus, observedAt, excerpt }];
  if (reading.kind === 'facts')
    return {
      kind: 'proof',
      facts: reading.facts,
      source: 'rdap',
      observedAt,
      evidence,
      witnesses: 1,
      lookAgainWithin: null,
    };
  const { code, retryAfterSeconds } = reading;
  return { kind: 'failure', code, registry: server, retryAfterSeconds, observedAt, evidence };
}
