import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Deadline } from '../../platform/outbound/deadline.js';
import { MAX_EXCERPT_LENGTH } from '../domain/lookup/lookup-result.js';
import type { SourceAnswer } from '../domain/lookup/lookup-source.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { toPrintable } from '../answer-text/printable.js';
import { type HttpReply, toNoResponseFailure, RegistryHttpClient } from '../transport/registry-http-client.js';
import { RdapBootstrap } from './rdap-bootstrap.js';
import { RegistrySource } from '../transport/registry-source.js';
import { type QueryTarget, queryTarget, redirectedServer, redirectTarget, type RdapServer } from './rdap-server.js';
import { MAX_RESPONSE_BYTES } from './rdap-json.js';
import { parseRdapResponse } from './rdap-response-parser.js';

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];

/** Sends one RDAP query (RFC 7480, 9082, 9083) to one server. The caller follows redirects. */
@Injectable()
export class RdapSource extends RegistrySource<RdapServer> {
  readonly name = 'rdap';
  readonly role = 'only';

  constructor(
    private readonly bootstrap: RdapBootstrap,
    private readonly http: RegistryHttpClient,
    private readonly clock: Clock,
  ) {
    super();
  }

  servers(): ReadonlyMap<string, RdapServer> {
    return this.bootstrap.allServers();
  }

  serverFor(name: DomainName): RdapServer | null {
    return this.bootstrap.serverFor(name);
  }

  override onNewConnections(): RdapSource {
    return new RdapSource(this.bootstrap, this.http.onNewConnections(), this.clock);
  }

  async ask(name: DomainName, server: RdapServer, signal: Deadline): Promise<SourceAnswer<RdapServer>> {
    const target = queryTarget(server, name);
    const reply = await this.http.get(target, {
      accept: 'application/rdap+json',
      maxBytes: MAX_RESPONSE_BYTES,
      signal,
    });
    if (reply.kind === 'no_response') return toNoResponseFailure(reply, 'rdap', signal.aborted);
    if (REDIRECT_STATUSES.includes(reply.status)) return followOrReject(name, server, target, reply);
    return { ...parseRdapResponse(name, reply, this.clock.now()), httpStatus: reply.status };
  }
}

function followOrReject(
  name: DomainName,
  server: RdapServer,
  { origin, pathname, search }: QueryTarget,
  { status: httpStatus, location }: HttpReply,
): SourceAnswer<RdapServer> {
  const excerpt = `redirect to ${toPrintable(location ?? 'nowhere')}`.slice(0, MAX_EXCERPT_LENGTH);
  const common = { rule: 'rdap.redirect', excerpt, httpStatus };
  const target = redirectTarget(location, new URL(origin + pathname + search), server, name);
  if (target) return { kind: 'referral', server: redirectedServer(server, target), ...common };
  return { kind: 'failure', code: 'registry_answer_unusable', retryAfterSeconds: null, ...common };
}
