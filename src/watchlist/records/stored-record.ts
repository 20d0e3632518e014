import { type RecordKind, type RegistrationRecord, toRegistrationRecord } from '../../domains/language.js';

/** By kind, each as JSON. */
export type StoredRecord = Readonly<Partial<Record<RecordKind, string>>>;

interface StoredRegistrar {
  readonly name: string | null;
  readonly iana_id: string | null;
}
interface StoredDs {
  readonly key_tag: number;
  readonly algorithm: number;
  readonly digest_type: number;
  readonly digest: string;
}

/** null where nothing is stored. */
export function parseRecord(stored: StoredRecord | null): RegistrationRecord | null {
  if (!stored) return null;
  const registrar = parseValue<StoredRegistrar>(stored.registrar);
  const lastTransfer = parseValue<string>(stored.last_transfer);
  return toRegistrationRecord({
    nameservers: parseValue<string[]>(stored.nameservers),
    registrar: registrar && { name: registrar.name, ianaId: registrar.iana_id },
    statuses: parseValue<string[]>(stored.statuses),
    ds: parseValue<StoredDs[]>(stored.ds)?.map(toDs) ?? null,
    lastTransferAt: lastTransfer === null ? null : new Date(lastTransfer),
  });
}

function parseValue<Value>(text: string | undefined): Value | null {
  return text === undefined ? null : (JSON.parse(text) as Value);
}

function toDs({ key_tag: keyTag, algorithm, digest_type: digestType, digest }: StoredDs) {
  return { keyTag, algorithm, digestType, digest };
}
