import {
  type DsValue,
  type RegistrarValue,
  type RegistrationRecord,
  toRegistrationRecord,
} from '../../domains/language.js';

/** The values of a record by kind, as stored and as events show them. An unknown value is missing. */
export interface RecordValues {
  readonly nameservers?: readonly string[];
  readonly registrar?: RegistrarValue;
  readonly statuses?: readonly string[];
  readonly ds?: readonly DsValue[];
  readonly last_transfer?: string;
}

export function toRecord(values: RecordValues): RegistrationRecord {
  const { registrar, ds, last_transfer: lastTransfer } = values;
  return toRegistrationRecord({
    nameservers: values.nameservers ?? null,
    registrar: registrar ? { name: registrar.name, ianaId: registrar.iana_id } : null,
    statuses: values.statuses ?? null,
    ds: ds?.map(toDs) ?? null,
    lastTransferAt: lastTransfer === undefined ? null : new Date(lastTransfer),
  });
}

function toDs({ key_tag: keyTag, algorithm, digest_type: digestType, digest }: DsValue) {
  return { keyTag, algorithm, digestType, digest };
}
