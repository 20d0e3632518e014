import type { FakeRecord } from '../../support/builders/rdap-answers.js';

/** The lines of a WHOIS answer; what the record leaves out has none. */
export function whoisRecord(name: string, record: FakeRecord): string[] {
  const { statuses = [], nameservers = [], registrar, ds, registeredAt, expiresAt, transferredAt } = record;
  const { name: registrarName, ianaId } = typeof registrar === 'object' ? registrar : { name: registrar ?? null };
  const line = (label: string, value: string | null | undefined) =>
    value === null || value === undefined ? [] : [`${label}: ${value}`];
  return [
    `Domain Name: ${name.toUpperCase()}`,
    ...line('Registrar', registrarName),
    ...line('Registrar IANA ID', ianaId),
    ...statuses.map((status) => `Domain Status: ${status === 'active' ? 'ok' : status.replaceAll(' ', '')}`),
    ...nameservers.map((host) => `Name Server: ${host}`),
    ...(ds ? line('DNSSEC', ds.length > 0 ? 'signedDelegation' : 'unsigned') : []),
    ...(ds ?? []).map(
      ({ keyTag, algorithm, digestType, digest }) => `DNSSEC DS Data: ${keyTag} ${algorithm} ${digestType} ${digest}`,
    ),
    ...line('Creation Date', registeredAt?.toISOString()),
    ...line('Registry Expiry Date', expiresAt?.toISOString()),
    ...line('Last Transferred Date', transferredAt?.toISOString()),
  ];
}
