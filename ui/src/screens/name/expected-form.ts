import type { ChangeWatchBody, Entry, Record as RegistrationRecord } from '../../../../clients/typescript/src/index.js';

/** The expected record as typed text. An empty field is not compared. */
export interface ExpectedForm {
  readonly nameservers: string;
  readonly registrarId: string;
  readonly transfers: '' | 'locked' | 'allowed';
}

export function toExpectedForm({ expected }: Pick<Entry, 'expected'>): ExpectedForm {
  const { nameservers, registrar_id: registrarId, locked } = expected ?? {};
  return {
    nameservers: nameservers?.join('\n') ?? '',
    registrarId: registrarId ?? '',
    transfers: locked === undefined ? '' : locked ? 'locked' : 'allowed',
  };
}

/** Fills the form from the current record. Fields that the registry does not publish stay empty. */
export function asItIs({ nameservers, registrar, locked }: RegistrationRecord): ExpectedForm {
  const expected = {
    ...(nameservers !== null && { nameservers }),
    ...(typeof registrar?.iana_id === 'string' && { registrar_id: registrar.iana_id }),
    ...(locked !== null && { locked }),
  };
  return toExpectedForm({ expected });
}

/** Returns the whole expected record, since a change replaces all of it. It is null if all fields are empty. */
export function toExpectedChange(form: ExpectedForm): ChangeWatchBody {
  const nameservers = form.nameservers.split(/[\s,;]+/).filter((name) => name !== '');
  const registrarId = form.registrarId.trim();
  const expected = {
    ...(nameservers.length > 0 && { nameservers }),
    ...(registrarId !== '' && { registrar_id: registrarId }),
    ...(form.transfers !== '' && { locked: form.transfers === 'locked' }),
  };
  return { expected: Object.keys(expected).length === 0 ? null : expected };
}
