import PQueue from 'p-queue';
import { getDomain } from 'tldts';
import type { Agent } from 'undici';
import type { LookupConfig } from '../../config/sections.js';
import { SystemClock } from '../../kernel/clock.js';
import { Deadline } from '../../platform/outbound/deadline.js';
import type { AddressGuard } from '../../platform/outbound/address-guard.js';
import { createOutboundAgent, Http2Connections } from '../../platform/outbound/outbound-agent.js';
import { LOOKUP_TIMEOUT_MS } from '../checks/domain-lookup.js';
import { unknownOperator } from '../domain/operators.js';
import { randomLabel } from '../domain/lookup/canary.js';
import { isServedByRegistry, rejectOutOfZoneAbsence } from '../domain/lookup/registry-zone.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';
import { judgeRegistry, type ProbeAnswer, type ProbeRole, type RegistryVerdict } from './registry-verdict.js';
import { DomainName } from '../domain/name/domain-name.js';
import { LocalRateLimiter } from '../rate-limiting/local-rate-limiter.js';
import { OperatorResolver } from '../rate-limiting/operator-resolver.js';
import { RdapBootstrap } from '../rdap/rdap-bootstrap.js';
import { RdapSource } from '../rdap/rdap-source.js';
import { lookupGuard } from '../registry-http.module.js';
import { SourceLookup } from '../sources/source-lookup.js';
import { NO_DOCUMENTS } from '../transport/registry-documents.repository.js';
import { RegistryHttpClient } from '../transport/registry-http-client.js';
import type { RegistrySource } from '../transport/registry-source.js';
import { WhoisClient } from '../whois/whois-client.js';
import { WhoisServerDirectory } from '../whois/whois-server-directory.js';
import { WhoisSource } from '../whois/whois-source.js';
import type { RegistryReply } from './mask-answer.js';

/** One answer of a registry; `reply` is null if no complete answer came. */
export interface RecordedAnswer extends ProbeAnswer {
  readonly server: string;
  readonly reply: RegistryReply | null;
}

export interface RegistryReport {
  readonly tld: string;
  readonly verdict: RegistryVerdict;
  readonly answers: readonly RecordedAnswer[];
}

interface Probe {
  readonly role: ProbeRole;
  readonly name: DomainName;
}

/** This many operators are asked in parallel. The TLDs of one operator are asked one after the other. */
const MAX_OPERATORS_AT_A_TIME = 32;
/** After one of these errors, the registry is not asked any further. */
const STOPPING_ERRORS: readonly string[] = ['registry_unreachable', 'registry_timeout', 'registry_throttled'];

/**
 * Asks registries within their rate limits, but cannot count the queries that a running service sends from the same
 * address.
 */
export class RegistryCheck {
  private readonly clock = new SystemClock();
  private readonly agent: Agent;
  private readonly http2: Http2Connections;
  private readonly guard: AddressGuard;
  private readonly operators: OperatorResolver;
  private readonly lookup: SourceLookup;
  private readonly bootstrap: RdapBootstrap;
  private readonly directory: WhoisServerDirectory;

  constructor(
    config: LookupConfig,
    private readonly timeoutMs = LOOKUP_TIMEOUT_MS,
  ) {
    const { clock } = this;
    this.guard = lookupGuard(config);
    this.agent = createOutboundAgent({ guard: this.guard });
    this.http2 = new Http2Connections({ guard: this.guard });
    this.operators = new OperatorResolver(config);
    const admission = new LocalRateLimiter(this.operators);
    this.lookup = new SourceLookup(admission, clock);
    this.bootstrap = new RdapBootstrap(
      config,
      new RegistryHttpClient(this.agent, undefined, this.http2),
      NO_DOCUMENTS,
      clock,
    );
    const client = new WhoisClient({ guard: this.guard });
    this.directory = new WhoisServerDirectory(config, client, admission, NO_DOCUMENTS, clock);
  }

  /**
   * Fetches the current RDAP servers from IANA if the settings allow it. If that fails, the built-in servers are asked.
   */
  async learnServers(signal: AbortSignal): Promise<void> {
    await Promise.race([this.bootstrap.refreshIfStale(), whenAborted(signal)]);
  }

  knownTlds(): string[] {
    const domains = [...this.bootstrap.allServers().keys(), ...this.directory.allServers().keys()];
    return [...new Set(domains)].filter((domain) => !domain.includes('.')).sort();
  }

  /** @param signal ends the check; TLDs in progress are then not reported */
  async run(tlds: readonly string[], signal: AbortSignal, report: (report: RegistryReport) => void): Promise<void> {
    const lanes = [...Map.groupBy(tlds, (tld) => this.operatorOf(tld)).values()];
    lanes.sort((one, other) => other.length - one.length); // starts with the operator of the most TLDs
    const checkLane = async (lane: readonly string[]) => {
      for (const tld of lane) {
        if (signal.aborted) return;
        const checked = await this.check(tld);
        if (!signal.aborted) report(checked);
      }
    };
    const queue = new PQueue({ concurrency: MAX_OPERATORS_AT_A_TIME });
    await Promise.race([queue.addAll(lanes.map((lane) => () => checkLane(lane))), whenAborted(signal)]);
  }

  async close(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.http2.destroy()]);
  }

  private operatorOf(tld: string): string {
    const nic = DomainName.restore(`nic.${tld}`);
    const server = this.bootstrap.serverFor(nic) ?? this.directory.knownServer(tld);
    return server ? this.operators.resolve(server) : unknownOperator(tld);
  }

  private async check(tld: string): Promise<RegistryReport> {
    await this.directory.discover(tld);
    const probes = this.chooseProbes(tld);
    const answers = await Promise.all([this.askByRdap(probes), this.askByWhois(probes)]);
    const all = answers.flat();
    return { tld, verdict: judgeRegistry(all), answers: all };
  }

  private chooseProbes(tld: string): Probe[] {
    const known = this.findKnownName(tld);
    return [
      { role: 'nic', name: DomainName.restore(`nic.${tld}`) },
      { role: 'random', name: DomainName.restore(`${randomLabel()}.${tld}`) },
      ...(known ? [{ role: 'known', name: known } as const] : []),
    ];
  }

  /**
   * Finds a name that certainly exists: a registry's server is below the name, as `rdap.nominet.uk` is below
   * `nominet.uk`.
   */
  private findKnownName(tld: string): DomainName | null {
    const own = [this.bootstrap.serverFor(DomainName.restore(`nic.${tld}`)), this.directory.knownServer(tld)];
    const others = [...this.bootstrap.allServers().values(), ...this.directory.allServers().values()];
    for (const server of [...own, ...others]) {
      if (!server || DomainName.restore(server.host).tld !== tld) continue;
      const domain = getDomain(server.host);
      // A host directly below its TLD proves nothing, because the zone may contain the host without a registration.
      if (domain === null || domain === server.host || domain === `nic.${tld}`) continue;
      const name = DomainName.restore(domain);
      if (isServedByRegistry(name)) return name;
    }
    return null;
  }

  private askByRdap(probes: readonly Probe[]): Promise<RecordedAnswer[]> {
    const http = new RecordingHttpClient(this.agent, undefined, this.http2);
    return this.ask(probes, new RdapSource(this.bootstrap, http, this.clock), http);
  }

  private askByWhois(probes: readonly Probe[]): Promise<RecordedAnswer[]> {
    const client = new RecordingWhoisClient({ guard: this.guard });
    return this.ask(probes, new WhoisSource(this.directory, client), client);
  }

  /** Asks about the names one by one, until the registry fails or refuses. */
  private async ask<Server extends RegistryServer>(
    probes: readonly Probe[],
    source: RegistrySource<Server>,
    recorder: Recorder,
  ): Promise<RecordedAnswer[]> {
    const answers: RecordedAnswer[] = [];
    for (const { role, name } of probes) {
      const server = source.serverFor(name);
      if (!server) return [];
      recorder.reply = null;
      const deadline = new Deadline(this.timeoutMs);
      const found = await this.lookup.run(source, server, name, deadline, { priority: 'routine' });
      const result = rejectOutOfZoneAbsence(name, found);
      const { reply } = recorder;
      answers.push({ role, domain: name.ascii, source: source.name, server: server.label, result, reply });
      if (result.kind === 'failure' && STOPPING_ERRORS.includes(result.code)) break;
    }
    return answers;
  }
}

/** Keeps the last complete answer, because sources return only the meaning of an answer. */
interface Recorder {
  reply: RegistryReply | null;
}

class RecordingHttpClient extends RegistryHttpClient implements Recorder {
  reply: RegistryReply | null = null;

  override async get(...request: Parameters<RegistryHttpClient['get']>) {
    const outcome = await super.get(...request);
    if (outcome.kind === 'reply') {
      const { status, mediaType, body } = outcome;
      this.reply = { protocol: 'rdap', status, mediaType, body };
    }
    return outcome;
  }
}

class RecordingWhoisClient extends WhoisClient implements Recorder {
  reply: RegistryReply | null = null;

  override async query(...request: Parameters<WhoisClient['query']>) {
    const outcome = await super.query(...request);
    if (outcome.kind === 'reply') this.reply = { protocol: 'whois', body: outcome.body };
    return outcome;
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
