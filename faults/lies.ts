import { saying as telling, type WhoisAnswer, whoisFaults } from '../test/support/fakes/fake-whois.js';
import { rdapNotFound } from '../test/support/builders/rdap-answers.js';
import { registryFaults, type RegistryAnswer, saying } from '../test/support/fakes/registry-faults.js';

/**
 * What a registry says of one name while it is out of order. None of it may move an entry: `gone` is over before a
 * second look may confirm it, and `vetoed` is contradicted by the delegation in DNS.
 */
export const LIES = ['error', 'page', 'silence', 'gone', 'vetoed'] as const;
export type Lie = (typeof LIES)[number];

/** Who is lied to. */
export interface Telling {
  /** Resolves when the registry was asked for the first time since. */
  readonly heard: Promise<void>;
  /** Resolves when all of the lie was told: to an absence belongs what DNS says. */
  readonly told: Promise<void>;
}

/** The same thing over whichever protocol a registry speaks. */
export type Saying = readonly [rdap: RegistryAnswer, whois: WhoisAnswer];

const ABSENT: Saying = [
  saying(404, rdapNotFound()),
  (socket, query) => telling(`No match for "${query.toUpperCase()}".`)(socket, query),
];

export const WORDS: Readonly<Record<Lie, Saying>> = {
  error: [registryFaults.emptyObject, whoisFaults.hangsUp],
  page: [registryFaults.htmlNotFound, telling('<html>Not Found</html>')],
  silence: [registryFaults.silence, whoisFaults.keepsSilent],
  gone: ABSENT,
  vetoed: ABSENT,
};
