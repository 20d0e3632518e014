import { Inject, Injectable, Logger } from '@nestjs/common';
import { LookupConfig } from '../../config/sections.js';
import { Clock, DAY, HOUR, SECOND } from '../../kernel/clock.js';
import type { DomainName } from '../domain/name/domain-name.js';
import { RegistryAdmission, type RequestOutcome } from '../rate-limiting/registry-admission.js';
import {
  type RegistryDocument,
  type RegistryDocuments,
  RegistryDocumentStore,
} from '../transport/registry-documents.repository.js';
import { BUILT_IN_WHOIS_SERVERS } from './whois-built-in-servers.js';
import { OPEN_SUFFIXES } from '../domain/name/open-suffixes.js';
import type { RegistryServer } from '../domain/lookup/lookup-source.js';
import { type WhoisAddress, WhoisClient } from './whois-client.js';
import { findTextFlaw } from './whois-text.js';

/** RFC 3912 */
const WHOIS_PORT = 43;
const IANA: WhoisAddress = { host: 'whois.iana.org', port: WHOIS_PORT };
const REFERRAL_TIMEOUT_MS = 10 * SECOND;
const REFERRAL_TTL_MS = 7 * DAY;
/** If IANA gave no answer about a TLD, IANA is queried again after this time. */
const RETRY_AFTER_MS = HOUR;

/**
 * Knows the WHOIS server of each TLD. IANA's answers (referrals) are fetched in the background, so the first lookup of
 * an unlisted TLD has no server yet.
 */
@Injectable()
export class WhoisServerDirectory {
  private readonly log = new Logger(WhoisServerDirectory.name);
  private readonly overrides: ReadonlyMap<string, RegistryServer>;
  private readonly builtInServers: ReadonlyMap<string, string>;
  private readonly isIanaAllowed: boolean;
  private readonly referrals = new Map<string, RegistryDocument>();
  private readonly loadedTlds = new Set<string>();
  /** When a TLD's referral was last requested, in epoch milliseconds. */
  private readonly lastAttemptAt = new Map<string, number>();

  constructor(
    config: LookupConfig,
    private readonly whoisClient: WhoisClient,
    private readonly admission: RegistryAdmission,
    @Inject(RegistryDocumentStore) private readonly store: RegistryDocuments,
    private readonly clock: Clock,
  ) {
    const { rdapBootstrapUrl: bootstrapUrl, whoisOverrides } = config;
    this.isIanaAllowed = bootstrapUrl !== null;
    this.builtInServers = this.isIanaAllowed ? BUILT_IN_WHOIS_SERVERS : new Map();
    this.overrides = new Map([...whoisOverrides].map(([tld, target]) => [tld, parseOverride(target)]));
  }

  allServers(): ReadonlyMap<string, RegistryServer> {
    const tlds = new Set([...this.builtInServers.keys(), ...this.referrals.keys(), ...this.overrides.keys()]);
    return new Map(
      [...tlds].flatMap((tld) => {
        const server = this.knownServer(tld);
        return server ? [[tld, server] as const] : [];
      }),
    );
  }

  /** Asks IANA for the WHOIS server of a TLD if no recent answer is known. Never rejects. */
  async discover(tld: string): Promise<void> {
    if (this.isIanaAllowed) await this.refreshIfStale(tld);
  }

  async findServer({ registry: tld }: DomainName): Promise<RegistryServer | null> {
    if (this.isIanaAllowed && !this.overrides.has(tld)) {
      await this.loadStoredOnce(tld);
      if (this.knownServer(tld)) void this.refreshIfStale(tld);
    }
    return this.knownServer(tld);
  }

  /** Returns the server known to this process, without asking the database or IANA. */
  knownServer(tld: string): RegistryServer | null {
    const override = this.overrides.get(tld);
    if (override) return override;
    const host = this.referrals.get(tld)?.body ?? this.builtInServers.get(tld);
    return host === undefined ? null : whoisServer(host, WHOIS_PORT, false);
  }

  /** Fetches IANA's referral for a TLD if the known referral is old. Never rejects. */
  async refreshIfStale(tld: string): Promise<void> {
    if (OPEN_SUFFIXES.has(tld)) return; // IANA knows only TLDs
    const now = this.clock.now().getTime();
    if (this.isFresh(tld) || now - (this.lastAttemptAt.get(tld) ?? 0) <= RETRY_AFTER_MS) return;
    this.lastAttemptAt.set(tld, now);
    await this.loadStored(tld); // another process may have stored a newer referral
    if (this.isFresh(tld)) return;
    try {
      const host = await this.fetchReferral(tld);
      if (host === null) return;
      const referral = { body: host, fetchedAt: this.clock.now() };
      this.referrals.set(tld, referral);
      await this.store.save(documentKind(tld), referral);
    } catch (error) {
      this.log.warn(`WHOIS referral for .${tld} not stored: ${String(error)}`);
    }
  }

  private isFresh(tld: string): boolean {
    const fetchedAt = this.referrals.get(tld)?.fetchedAt;
    return fetchedAt !== undefined && this.clock.now().getTime() - fetchedAt.getTime() <= REFERRAL_TTL_MS;
  }

  private async loadStoredOnce(tld: string): Promise<void> {
    if (this.loadedTlds.has(tld)) return;
    this.loadedTlds.add(tld);
    await this.loadStored(tld);
  }

  private async loadStored(tld: string): Promise<void> {
    try {
      const referral = await this.store.load(documentKind(tld));
      if (referral && isHostname(referral.body)) this.referrals.set(tld, referral);
    } catch (error) {
      this.log.warn(`stored WHOIS referral for .${tld} could not be read: ${String(error)}`);
    }
  }

  private async fetchReferral(tld: string): Promise<string | null> {
    const permit = await this.admission.acquire({ ...IANA, isOverride: false }, { priority: 'routine' });
    if (permit.kind === 'rejected') return null;
    let outcome: RequestOutcome = { kind: 'ignored' }; // used if the request throws, which only a bug of ours can cause
    try {
      const reply = await this.whoisClient.query(IANA, tld, AbortSignal.timeout(REFERRAL_TIMEOUT_MS));
      outcome = reply.kind === 'reply' ? { kind: 'answered' } : { kind: 'failed', domain: tld };
      if (reply.kind === 'reply') return parseReferral(reply.body.toString('latin1'), tld);
      this.log.warn(`no WHOIS referral for .${tld}, keeping the known server: ${reply.detail}`);
      return null;
    } finally {
      permit.release(outcome);
    }
  }
}

export function whoisServer(host: string, port: number, isOverride: boolean): RegistryServer {
  return { host, port, isOverride, label: port === WHOIS_PORT ? host : `${host}:${port}` };
}

/** Returns null if IANA's record is of another TLD or has no WHOIS server. */
export function parseReferral(record: string, tld: string): string | null {
  if (findTextFlaw(record)) return null;
  const isAboutTld = new RegExp(`^domain:\\s+${tld}\\s*$`, 'im').test(record);
  const host = /^whois:[ \t]+(\S+)[ \t]*\r?$/im.exec(record)?.[1]?.toLowerCase();
  return isAboutTld && host !== undefined && isHostname(host) ? host : null;
}

function isHostname(text: string): boolean {
  return /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(text) && text.length < 254;
}

function documentKind(tld: string): string {
  return `whois-referral.${tld}`;
}

function parseOverride(target: string): RegistryServer {
  const at = target.lastIndexOf(':');
  return whoisServer(target.slice(0, at), Number(target.slice(at + 1)), true);
}
