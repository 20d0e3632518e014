import { Injectable } from '@nestjs/common';
import type { Deadline } from '../../platform/outbound/deadline.js';
import type { SourceAnswer, RegistryServer } from '../domain/lookup/lookup-source.js';
import type { LookupErrorCode, ParsedResponse } from '../domain/lookup/lookup-result.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { toPrintable } from '../answer-text/printable.js';
import { BUILT_IN_WHOIS_SERVERS } from './whois-built-in-servers.js';
import { WhoisServerDirectory } from './whois-server-directory.js';
import { RegistrySource } from '../transport/registry-source.js';
import { parseWhoisResponse } from './whois-response-parser.js';
import { whoisRulesFor } from './whois-tld-rules.js';
import { WhoisClient, type WhoisNoResponse } from './whois-client.js';

/** Sends one WHOIS query (RFC 3912) for the A-label form to the authoritative server of the name. */
@Injectable()
export class WhoisSource extends RegistrySource {
  readonly name = 'whois';
  readonly role = 'only';

  constructor(
    private readonly directory: WhoisServerDirectory,
    private readonly client: WhoisClient,
  ) {
    super();
  }

  servers(): ReadonlyMap<string, RegistryServer> {
    return this.directory.allServers();
  }

  serverFor({ tld }: DomainName): RegistryServer | null {
    return this.directory.knownServer(tld);
  }

  hasServer(tld: string): boolean {
    return this.directory.hasServer(tld);
  }

  override findServer(name: DomainName): Promise<RegistryServer | null> {
    return this.directory.findServer(name);
  }

  override discoverServer(tld: string): Promise<void> {
    return this.directory.discover(tld);
  }

  override loadServers(tlds: ReadonlySet<string>): Promise<void> {
    return this.directory.loadStoredReferrals(tlds);
  }

  async ask(name: DomainName, server: RegistryServer, signal: Deadline): Promise<SourceAnswer<RegistryServer>> {
    const reply = await this.client.query(server, buildQuery(name, server), signal);
    const parsed =
      reply.kind === 'reply' ? parseWhoisResponse(name, reply.body) : parseNoResponse(reply, signal.aborted);
    return { ...parsed, httpStatus: null };
  }
}

/** A registry's own query syntax is sent to its own server only; an override may not know it. */
function buildQuery({ ascii, tld }: DomainName, { host, isOverride }: RegistryServer): string {
  const isOwn = !isOverride || host === BUILT_IN_WHOIS_SERVERS.get(tld);
  return isOwn ? whoisRulesFor(tld).query.replace('{name}', ascii) : ascii;
}

function parseNoResponse({ failure, detail }: WhoisNoResponse, hasTimedOut: boolean): ParsedResponse {
  const codes: Record<WhoisNoResponse['failure'], LookupErrorCode> = {
    too_large: 'registry_answer_unusable',
    timeout: hasTimedOut ? 'registry_timeout' : 'registry_unreachable',
    blocked: 'registry_unreachable',
    dns: 'registry_unreachable',
    connect: 'registry_unreachable',
    tls: 'registry_unreachable',
  };
  const excerpt = toPrintable(detail).slice(0, 500);
  return { kind: 'failure', rule: `whois.${failure}`, excerpt, code: codes[failure], retryAfterSeconds: null };
}
