import { saying as telling, type WhoisAnswer, whoisFaults } from '../../world/whois.js';
import { rdapNotFound } from '../../support/builders/rdap-answers.js';
import { registryFaults, type RegistryAnswer, saying } from '../../world/registry-faults.js';

/**
 * A registry's answer about one name while it is faulty. No such answer may change an entry: `gone` ends before a
 * second lookup can confirm it, and `vetoed` is contradicted by the delegation in DNS.
 */
export const REGISTRY_FAULTS = ['error', 'page', 'silence', 'gone', 'vetoed'] as const;
export type RegistryFault = (typeof REGISTRY_FAULTS)[number];

/** Progress of one fault. */
export interface FaultDelivery {
  /** Resolves at the first request to the registry. */
  readonly requested: Promise<void>;
  /**
   * Resolves when all of the fault was answered. For `gone`, DNS was queried too; for `vetoed`, so late that without a
   * veto the absence would be confirmed.
   */
  readonly delivered: Promise<void>;
}

/** The same fault in both protocols. */
export type FaultAnswers = readonly [rdap: RegistryAnswer, whois: WhoisAnswer];

const ABSENT: FaultAnswers = [
  saying(404, rdapNotFound()),
  (socket, query) => telling(`No match for "${query.toUpperCase()}".`)(socket, query),
];

export const FAULT_ANSWERS: Readonly<Record<RegistryFault, FaultAnswers>> = {
  error: [registryFaults.emptyObject, whoisFaults.hangsUp],
  page: [registryFaults.htmlNotFound, telling('<html>Not Found</html>')],
  silence: [registryFaults.silence, whoisFaults.keepsSilent],
  gone: ABSENT,
  vetoed: ABSENT,
};
