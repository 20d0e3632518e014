import type { OperatorBudget } from '../../../kernel/operator-budget.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { RegistrationRecord } from '../record/registration-record.js';
import type { EvidenceSource, LookupErrorCode } from './lookup-result.js';
import type { DomainName } from '../name/domain-name.js';

/** Injection token of the sources that extensions add: `readonly LookupSource[]`. */
export const EXTENSION_LOOKUP_SOURCES = 'extension-lookup-sources';

export interface SourceServer {
  /** A host name or an IP address; it selects the budget of the settings. */
  readonly host: string;
  readonly port: number;
}

/** One server's answer about a name, and the id of the rule that decided it, such as `acme.not_found`. */
export type SourceAnswer<Server extends SourceServer = SourceServer> = {
  readonly rule: string;
  /** The decisive part of the response, without contacts and secrets. Of longer texts 500 characters are kept. */
  readonly excerpt: string;
  /** null without HTTP. */
  readonly httpStatus: number | null;
} & (
  | {
      readonly kind: 'facts';
      readonly facts: RegistrationFacts;
      /** The rest of the answer for a registered name, by `toRegistrationRecord`; no status depends on it. */
      readonly record?: RegistrationRecord;
    }
  | {
      readonly kind: 'failure';
      readonly code: LookupErrorCode;
      /** How long the server wants no more questions. */
      readonly retryAfterSeconds: number | null;
    }
  /** Another server has to be asked: the engine does so once its operator admits it, three times per lookup at most. */
  | { readonly kind: 'referral'; readonly server: Server }
);

/**
 * Is where the facts about a name come from. The engine admits each question to the budget, ends it at the deadline, limits
 * the excerpt, and judges every absence by the same rule: no source can skip it.
 */
export abstract class LookupSource<Server extends SourceServer = SourceServer, Signal = AbortSignal> {
  /** The `source` of its evidence: lower-case letters, digits and hyphens, and no name of another source. */
  abstract readonly name: EvidenceSource;
  /**
   * `only`: its answer is final. `first`: a record that it finds is final; an absence, a reservation or a failure is put
   * to the next source as well, and the evidence of both is kept.
   */
  abstract readonly role: 'only' | 'first';
  /** Counts for all its servers together, unless LOOKUP_BUDGETS_FILE lists them; null: the default of the settings. */
  readonly budget: OperatorBudget | null = null;
  /**
   * True: the public DNS does not have the zones of its TLDs, so no name server is asked about their names or waited
   * for. A second answer of this source then takes the place of DNS: see `judgeAbsence`. TLDs that the public root
   * delegates are asked about all the same.
   */
  readonly hasPrivateZone: boolean = false;
  /** Returns its servers by TLD, from memory. Called every second, so that a source may learn servers while it runs. */
  abstract servers(): ReadonlyMap<string, Server>;
  /**
   * Asks one server once. Expected failures are answers; it throws on bugs only.
   * @param signal aborts at the deadline; a later answer does not count
   */
  abstract ask(name: DomainName, server: Server, signal: Signal): Promise<SourceAnswer<Server>>;
}

/** The server whose rate limit counts for a query to this host and port. */
export interface ServerAddress extends SourceServer {
  /** Whether the administrator configured it (RDAP_OVERRIDES, WHOIS_OVERRIDES). */
  readonly isOverride: boolean;
  /** Is the operator where the source has a budget of its own, unless the budgets table lists the host. */
  readonly operator?: string;
}

/** A server of a source, as evidence and the list of registries name it. */
export interface RegistryServer extends ServerAddress {
  /** `host`, or `host:port` where the port is not the default. */
  readonly label: string;
}
