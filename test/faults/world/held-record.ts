import { createHash } from 'node:crypto';
import type { FakeRecord } from '../../support/builders/rdap-answers.js';
import type { DsRecord } from '../../../src/domains/domain/record/registration-record.js';
import type { LifecycleState } from './registry-state.js';

/** A registry's record of a registration beside its state and its dates. */
export interface HeldRecord {
  readonly registrar: { readonly name: string; readonly ianaId: string };
  readonly transferredAt: Date;
  readonly nameservers: readonly string[];
  /** Empty: the delegation is not signed. */
  readonly ds: readonly DsRecord[];
  readonly locks: readonly string[];
}

/** The kinds of a record as the service names them, each with its value as events report it. */
export const RECORD_KINDS = ['nameservers', 'registrar', 'statuses', 'ds', 'last_transfer'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];
export type RecordValues = Readonly<Record<RecordKind, unknown>>;

/** How a record may change; another registrar transfers the name. */
export const RECORD_CHANGES = ['registrar', 'nameservers', 'ds', 'locks'] as const;
export type RecordChange = (typeof RECORD_CHANGES)[number];

/** They follow each other in turn, so that none flaps: what flaps is confirmed later than a run lasts. */
const LOCKS = [
  [],
  ['client transfer prohibited'],
  ['client delete prohibited', 'client transfer prohibited'],
  ['client delete prohibited', 'client update prohibited'],
];
const DAY = 86_400_000;
const FIRST_TRANSFER = Date.parse('2015-01-01T00:00:00Z');
const SHA_256 = 2;

/** @param number with another number, every value is another one */
export function createRecord(number: number): HeldRecord {
  return {
    registrar: { name: `Example Registrar ${number}`, ianaId: String(1_000 + number) },
    transferredAt: new Date(FIRST_TRANSFER + 2 * number * DAY), // two times of one day are equal
    nameservers: [`ns1.host-${number}.example`, `ns2.host-${number}.example`],
    ds: [createDs(number, 'first'), createDs(number, 'second')],
    locks: [],
  };
}

/** @param number not used before for this name */
export function changeRecord(record: HeldRecord, change: RecordChange, number: number): HeldRecord {
  const { registrar, transferredAt, nameservers, ds } = createRecord(number);
  if (change === 'registrar') return { ...record, registrar, transferredAt };
  if (change === 'nameservers') return { ...record, nameservers };
  if (change === 'ds') return { ...record, ds: record.ds.length > 0 && number % 3 === 0 ? [] : ds };
  const next = LOCKS.findIndex((locks) => locks.join() === record.locks.join()) + 1;
  return { ...record, locks: LOCKS[next % LOCKS.length] ?? [] };
}

/** The registry's answer. */
export function toAnswer({ locks, ...record }: HeldRecord, state: LifecycleState): FakeRecord {
  return { ...record, statuses: toStatuses(locks, state) };
}

/** The values that events have to report. */
export function toValues(record: HeldRecord, state: LifecycleState): RecordValues {
  const { registrar, transferredAt, nameservers, ds, locks } = record;
  return {
    nameservers: nameservers.toSorted(),
    registrar: { name: registrar.name, iana_id: registrar.ianaId },
    statuses: toStatuses(locks, state).toSorted(),
    ds: ds
      .toSorted((one, other) => (one.digest < other.digest ? -1 : 1))
      .map(({ keyTag, algorithm, digestType, digest }) => ({
        key_tag: keyTag,
        algorithm,
        digest_type: digestType,
        digest,
      })),
    last_transfer: transferredAt.toISOString(),
  };
}

function toStatuses(locks: readonly string[], state: LifecycleState): readonly string[] {
  if (state === 'pending_delete') return ['pending delete'];
  return locks.length > 0 ? locks : ['active'];
}

function createDs(number: number, key: string): DsRecord {
  const digest = createHash('sha256').update(`${number} ${key}`).digest('hex').toUpperCase();
  return { keyTag: number % 65_536, algorithm: 13, digestType: SHA_256, digest };
}
