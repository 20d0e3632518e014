import type { OperatorBudget } from '../../../kernel/operator-budget.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { RegistrationRecord } from '../record/registration-record.js';
import type { EvidenceSource, LookupErrorCode } from './lookup-result.js';
import type { DomainName } from '../name/domain-name.js';

/** Injection token of the sources that extensions add: `readonly LookupSource[]`. */
export const EXTENSION_LOOKUP_SOURCES = 'extension-lookup-sources';

export interface SourceServer {
  /** A host name or an IP address, which selects the rate limit in the settings. */
  readonly host: string;
  readonly port: number;
}

/** One server's answer about a name, and the id of the rule that decided, such as `acme.not_found`. */
export type SourceAnswer<Server extends SourceServer = SourceServer> = {
  readonly rule: string;
  /** The decisive part of the response, without contacts and secrets. Longer texts are cut to 500 characters. */
  readonly excerpt: string;
  /** null if the source does not use HTTP. */
  readonly httpStatus: number | null;
} & (
  | {
      readonly kind: 'facts';
      readonly facts: RegistrationFacts;
      /** Details of a registered name, made by `toRegistrationRecord`. No status depends on them. */
      readonly record?: RegistrationRecord;
    }
  | {
      readonly kind: 'failure';
      readonly code: LookupErrorCode;
      /** How long the server asks clients to wait. */
      readonly retryAfterSeconds: number | null;
    }
  /** Another server has to be asked. The engine follows at most three referrals, within rate limits. */
  | { readonly kind: 'referral'; readonly server: Server }
);

/**
 * A source of facts about names. The engine applies rate limits, and decides whether names without a record are
 * available.
 */
export abstract class LookupSource<Server extends SourceServer = SourceServer, Signal = AbortSignal> {
  /** The unique `source` in evidence. Use lower-case letters, digits, hyphens and at most one dot. */
  abstract readonly name: EvidenceSource;
  /**
   * With `only`, every answer is final. With `first`, only a record is final; otherwise the next source is asked too.
   */
  abstract readonly role: 'only' | 'first';
  /** The rate limit of the source's servers together; null means the default. LOOKUP_BUDGETS_FILE takes precedence. */
  readonly budget: OperatorBudget | null = null;
  /**
   * Whether the public DNS lacks the source's TLDs, such as `.corp`. A check then confirms "no record" by a second
   * query to the source, not by DNS. Has no effect for TLDs that the public DNS has.
   */
  readonly hasPrivateZone: boolean = false;
  /** Returns the servers by TLD. Called every second, so keep the list in memory. The list may change between calls. */
  abstract servers(): ReadonlyMap<string, Server>;
  /**
   * Asks one server once. Returns expected failures, and throws only on bugs.
   * @param signal aborts at the deadline; later answers are ignored
   */
  abstract ask(name: DomainName, server: Server, signal: Signal): Promise<SourceAnswer<Server>>;
}

/** The server whose rate limit applies to a query. */
export interface ServerAddress extends SourceServer {
  /** Whether the administrator configured the server (RDAP_OVERRIDES, WHOIS_OVERRIDES). */
  readonly isOverride: boolean;
  /**
   * The source's name, if the source brings its own rate limit (`budget`). LOOKUP_BUDGETS_FILE may overrule this rate
   * limit.
   */
  readonly operator?: string;
}

export interface RegistryServer extends ServerAddress {
  /** `host`, or `host:port` if the port is not the default. */
  readonly label: string;
}
