import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  registerDecorator,
  ValidateNested,
} from 'class-validator';
import { normalizeHostName } from '../../domains/language.js';
import { Optional } from '../../platform/http/validation/strict-validation.pipe.js';
import type { ExpectedRecord } from '../domain/expected-record.js';

const MAX_NAMESERVERS = 32;
const MAX_HOST_LENGTH = 255;
const REGISTRAR_ID = /^[1-9]\d{0,6}$/;

export const EXPECTED = {
  type: 'object' as const,
  properties: {
    nameservers: {
      type: 'array' as const,
      items: { type: 'string' as const, minLength: 1, maxLength: MAX_HOST_LENGTH },
      maxItems: MAX_NAMESERVERS,
    },
    registrar_id: { type: 'string' as const, pattern: REGISTRAR_ID.source },
    locked: { type: 'boolean' as const },
  },
  selfRequired: false,
  additionalProperties: false,
  example: { nameservers: ['ns1.hoster.test', 'ns2.hoster.test'], registrar_id: '292', locked: true },
  description:
    'What the registration record should be: name servers in any order, the IANA id of the registrar, and whether transfers ' +
    'are prohibited. `drift` of the entry names what differs. A PATCH replaces it as a whole.',
};

export class ExpectedBody {
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_NAMESERVERS)
  @IsString({ each: true })
  @MaxLength(MAX_HOST_LENGTH, { each: true })
  @AreHostNames()
  nameservers?: string[];

  @Optional()
  @IsString()
  @Matches(REGISTRAR_ID, { message: "registrar_id must be a number of IANA's list of registrars, as text" })
  registrar_id?: string;

  @Optional()
  @IsBoolean()
  locked?: boolean;
}

export const IsExpected = () =>
  applyDecorators(
    IsObject(),
    ValidateNested(),
    Type(() => ExpectedBody),
  );

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
