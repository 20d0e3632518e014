import type { DsRecord, Registrar } from '../../../src/domains/language.js';

/** A registry's record of a name, for the answers of the fake registry. */
export interface FakeRecord {
  readonly statuses?: readonly string[];
  readonly registeredAt?: Date;
  readonly expiresAt?: Date;
  readonly nameservers?: readonly string[];
  /** By its name, or with its id. */
  readonly registrar?: string | Partial<Registrar>;
  /** Empty: the delegation is not signed. */
  readonly ds?: readonly DsRecord[];
  readonly transferredAt?: Date;
}

export const RDAP = 'application/rdap+json';

/** A domain object (RFC 9083 §5.3), contacts included, as registries answer it with status 200. */
export function rdapRecord(name: string, record: FakeRecord = {}) {
  const { statuses = ['active'], registeredAt, expiresAt, transferredAt, nameservers, registrar, ds } = record;
  const event = (eventAction: string, date?: Date) => (date ? [{ eventAction, eventDate: date.toISOString() }] : []);
  return {
    rdapConformance: ['rdap_level_0'],
    objectClassName: 'domain',
    ldhName: name.toUpperCase(),
    status: statuses,
    events: [
      ...event('registration', registeredAt),
      ...event('expiration', expiresAt),
      ...event('transfer', transferredAt),
      { eventAction: 'last update of RDAP database', eventDate: '2026-11-21T00:00:00Z' },
    ],
    entities: [
      {
        objectClassName: 'entity',
        roles: ['registrant'],
        vcardArray: [
          'vcard',
          [
            ['fn', {}, 'text', 'Erika Mustermann'],
            ['email', {}, 'text', 'erika@example.net'],
          ],
        ],
      },
      ...(registrar ? [registrarEntity(typeof registrar === 'string' ? { name: registrar } : registrar)] : []),
    ],
    ...(nameservers && { nameservers: nameservers.map((ldhName) => ({ objectClassName: 'nameserver', ldhName })) }),
    ...(ds && { secureDNS: { delegationSigned: ds.length > 0, ...(ds.length > 0 && { dsData: ds }) } }),
    notices: [{ title: 'Terms of Use', description: ['Access may be blocked if the query limit is exceeded.'] }],
  };
}

function registrarEntity({ name = null, ianaId = null }: Partial<Registrar>) {
  return {
    objectClassName: 'entity',
    roles: ['registrar'],
    ...(ianaId !== null && { publicIds: [{ type: 'IANA Registrar ID', identifier: ianaId }] }),
    ...(name !== null && { vcardArray: ['vcard', [['fn', {}, 'text', name]]] }),
  };
}

/** An error object (RFC 9083 §6), as registries answer it with status 404. */
export function rdapNotFound(about: Record<string, unknown> = {}) {
  return {
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title: 'Not Found',
    description: ['The domain was not found in the registry.'],
    ...about,
  };
}

/** A bootstrap document (RFC 9224 §3) as long as IANA's, with the given services first. */
export function bootstrapDocument(servers: Readonly<Record<string, readonly string[]>>, others = 600) {
  const filler = Array.from({ length: others }, (_, i) => [[`filler${i}`], [`https://rdap.filler${i}.example/`]]);
  const services = Object.entries(servers).map(([tld, urls]) => [[tld], urls]);
  return { version: '1.0', publication: '2026-11-20T00:00:00Z', services: [...services, ...filler] };
}
