import type {
  DsRecord,
  Entry,
  Expected,
  Record as RegistrationRecord,
  RecordChange,
  Registrar,
} from '../../../../clients/typescript/src/index.js';

/** Returns a text such as `Example Registrar, IANA 292`. */
export function registrarText({ name, iana_id: ianaId }: Registrar): string {
  const parts = [name ?? '', ianaId === null ? '' : `IANA ${ianaId}`].filter((part) => part !== '');
  return parts.length === 0 ? 'not named' : parts.join(', ');
}

/** Returns a text such as `key tag 31589, algorithm 13, digest type 2`. */
export function dsText({ key_tag: keyTag, algorithm, digest_type: digestType }: DsRecord): string {
  return `key tag ${keyTag}, algorithm ${algorithm}, digest type ${digestType}`;
}

type Drifting = Entry['drift'][number];

/** Returns a sentence for each difference from the expected record. */
export function driftSentences(
  drift: readonly Drifting[],
  expected: Expected | null,
  record: RegistrationRecord | null,
): readonly string[] {
  return drift.map((member) => {
    switch (member) {
      case 'nameservers':
        return nameServerDrift(expected?.nameservers ?? [], record?.nameservers ?? []);
      case 'registrar_id':
        return `The registrar is ${record?.registrar ? registrarText(record.registrar) : 'not known'}; you expect IANA ${expected?.registrar_id ?? '–'}.`;
      case 'locked':
        return expected?.locked === true
          ? 'Transfers are allowed; you expect them to be locked.'
          : 'Transfers are locked; you expect them to be allowed.';
    }
  });
}

function nameServerDrift(expected: readonly string[], actual: readonly string[]): string {
  const wanted = expected.map((name) => name.toLowerCase().replace(/\.$/, ''));
  const missing = wanted.filter((name) => !actual.includes(name));
  const more = actual.filter((name) => !wanted.includes(name));
  const parts = [
    missing.length > 0 ? `missing: ${missing.join(', ')}` : '',
    more.length > 0 ? `not expected: ${more.join(', ')}` : '',
  ].filter((part) => part !== '');
  return `The name servers are not those that you expect (${parts.join('; ')}).`;
}

const DRIFT_WORDS: Readonly<Record<Drifting, string>> = {
  nameservers: 'name servers',
  registrar_id: 'registrar',
  locked: 'transfer lock',
};

/** Names the differences in a few words, for a row of a list. */
export function driftLabel(drift: readonly Drifting[]): string {
  return `Not as expected: ${drift.map((member) => DRIFT_WORDS[member]).join(', ')}`;
}

/** Returns the start of a sentence, such as `Name servers and registrar`. */
export function driftWords(drift: readonly Drifting[]): string {
  const text = new Intl.ListFormat('en').format(drift.map((member) => DRIFT_WORDS[member]));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const CHANGE_TITLES: Readonly<Record<RecordChange['kind'], string>> = {
  nameservers: 'Name servers',
  registrar: 'Registrar',
  statuses: 'Locks and other statuses',
  ds: 'DNSSEC (DS records)',
  last_transfer: 'Transfer',
};

export function changedLines({ before, after }: Pick<RecordChange, 'before' | 'after'>): {
  readonly removed: readonly string[];
  readonly added: readonly string[];
} {
  const [former, latter] = [toLines(before), toLines(after)];
  return {
    removed: former.filter((line) => !latter.includes(line)),
    added: latter.filter((line) => !former.includes(line)),
  };
}

function toLines(value: RecordChange['before']): readonly string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [registrarText(value)];
  return value.map((one) => (typeof one === 'string' ? one : `${dsText(one)}, ${one.digest}`));
}
