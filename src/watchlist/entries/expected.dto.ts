import { registerDecorator } from 'class-validator';
import { normalizeHostName } from '../../domains/language.js';
import { BooleanField, TextField, TextListField } from '../../platform/http/validation/fields.js';
import type { ExpectedRecord } from '../domain/entry-settings.js';

export const EXPECTED = {
  example: { nameservers: ['ns1.hoster.test', 'ns2.hoster.test'], registrar_id: '292', locked: true },
  description:
    'What the registration record should be: name servers in any order, the IANA id of the registrar, and whether transfers ' +
    'are prohibited. `drift` of the entry names what differs. A PATCH replaces it as a whole.',
  optional: true,
} as const;

export class ExpectedBody {
  @TextListField({ items: { minLength: 1, maxLength: 255 }, maxItems: 32, optional: true })
  @AreHostNames()
  nameservers?: string[];

  @TextField({
    pattern: '^[1-9]\\d{0,6}$',
    expected: "a number of IANA's list of registrars, as text",
    optional: true,
  })
  registrar_id?: string;

  @BooleanField({ optional: true })
  locked?: boolean;
}

/** In the spelling and order of a registration record; null where no member is given. */
export function toExpectedRecord({ nameservers, registrar_id, locked }: ExpectedBody): ExpectedRecord | null {
  const hosts = nameservers?.flatMap((host) => normalizeHostName(host) ?? []);
  const expected = {
    ...(hosts && { nameservers: [...new Set(hosts)].sort() }),
    ...(registrar_id !== undefined && { registrar_id }),
    ...(locked !== undefined && { locked }),
  };
  return Object.keys(expected).length === 0 ? null : expected;
}

function AreHostNames(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'areHostNames',
      target: target.constructor,
      propertyName: String(property),
      options: { message: 'nameservers must be host names such as ns1.example.net' },
      validator: {
        validate: (hosts: unknown) =>
          Array.isArray(hosts) && hosts.every((host) => typeof host === 'string' && normalizeHostName(host) !== null),
      },
    });
}
