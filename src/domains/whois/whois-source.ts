import { Injectable } from '@nestjs/common';
import type { Deadline } from '../../platform/outbound/deadline.js';
import type { SourceAnswer, RegistryServer } from '../domain/lookup/lookup-source.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { BUILT_IN_WHOIS_SERVERS } from './whois-built-in-servers.js';
import { WhoisServerDirectory } from './whois-server-directory.js';
import { toNoResponseFailure } from '../transport/registry-http-client.js';
import { RegistrySource } from '../transport/registry-source.js';
import { parseWhoisResponse } from './whois-response-parser.js';
import { whoisRulesFor } from './whois-tld-rules.js';
import { WhoisClient } from './whois-client.js';

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

  serverFor({ registry }: DomainName): RegistryServer | null {
    return this.directory.knownServer(registry);
  }

  override findServer(name: DomainName): Promise<RegistryServer | null> {
    return this.directory.findServer(name);
  }

  override discoverServer(tld: string): Promise<void> {
    return this.directory.discover(tld);
  }

  async ask(name: DomainName, server: RegistryServer, signal: Deadline): Promise<SourceAnswer<RegistryServer>> {
    const reply = await this.client.query(server, buildQuery(name, server), signal);
    if (reply.kind === 'no_response') return toNoResponseFailure({ ...reply, status: null }, 'whois', signal.aborted);
    return { ...parseWhoisResponse(name, reply.body), httpStatus: null };
  }
}

/**
 * Uses a registry's own query syntax only with its own server. A server of WHOIS_OVERRIDES may not know this syntax.
 */
function buildQuery({ ascii, registry }: DomainName, { host, isOverride }: RegistryServer): string {
  const isOwn = !isOverride || host === BUILT_IN_WHOIS_SERVERS.get(registry);
  return isOwn ? whoisRulesFor(registry).query.replace('{name}', ascii) : ascii;
}
