import type { FakeRecord } from '../../support/builders/rdap-answers.js';
import { changeRecord, type HeldRecord, toAnswer } from './held-record.js';

/**
 * A registry's answer about a record that has not changed. No such answer may change an entry's record. `reordered`
 * says the same in another order and spelling, `partial` leaves out all it can, `flapping` says something else each
 * time. `unpublished` has name servers and DS records that the parent zone does not have.
 */
export const RECORD_FAULTS = ['reordered', 'partial', 'flapping', 'unpublished'] as const;
export type RecordFault = (typeof RECORD_FAULTS)[number];

export function isRecordFault(fault: string): fault is RecordFault {
  return (RECORD_FAULTS as readonly string[]).includes(fault);
}

/** @param nextNumber a number that no record has had */
export function createDistortion(fault: RecordFault, held: HeldRecord, nextNumber: () => number): () => FakeRecord {
  const unpublished = moveElsewhere(held, nextNumber());
  switch (fault) {
    case 'reordered':
      return () => reorder(toAnswer(held, 'registered'));
    case 'partial':
      return () => ({ statuses: [] });
    case 'flapping':
      return () => {
        const number = nextNumber();
        return toAnswer(changeRecord(moveElsewhere(held, number), 'registrar', number), 'registered');
      };
    case 'unpublished':
      return () => toAnswer(unpublished, 'registered');
  }
}

function moveElsewhere(held: HeldRecord, number: number): HeldRecord {
  return changeRecord({ ...changeRecord(held, 'nameservers', number), ds: [] }, 'ds', number);
}

function reorder({ statuses = [], nameservers = [], ds = [], registrar, ...dates }: FakeRecord): FakeRecord {
  return {
    ...dates,
    statuses: statuses.toReversed().map((status) => status.toUpperCase()),
    nameservers: nameservers.toReversed().map((host) => `${host.toUpperCase()}.`),
    ds: ds.toReversed().map(({ digest, ...key }) => ({ ...key, digest: digest.toLowerCase() })),
    ...(typeof registrar === 'object' && { registrar: respell(registrar) }),
  };
}

function respell({ name = null, ianaId = null }: { readonly name?: string | null; readonly ianaId?: string | null }) {
  return { name: name?.toUpperCase().replace(' REGISTRAR', '-REGISTRAR,') ?? null, ianaId };
}
