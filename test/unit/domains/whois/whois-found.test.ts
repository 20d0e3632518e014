import { describe, expect, it } from '@jest/globals';
import { TLDS_WITHOUT_EXPIRY } from '../../../../src/domains/domain/tld-rules.js';
import { judged, reading } from './whois-answers.js';

const CONTACT = ['Registrant Name: Maria Beispiel', 'Registrant Email: maria@example.org', 'Phone: +49.3012345678'];

describe('a WHOIS record', () => {
  it.each([
    [
      'the layout of ICANN',
      [
        'Domain Name: EXAMPLE.TLD',
        'Registrar: Example',
        'Creation Date: 2019-06-01T10:00:00Z',
        'Registry Expiry Date: 2027-06-01T10:00:00Z',
        'Domain Status: clientHold https://icann.org/epp#clientHold',
      ],
    ],
    [
      'labels filled up with dots',
      [
        'domain.............: example.tld',
        'status.............: clientHold',
        'registrar..........: Example',
        'created............: 1.6.2019 10:00:00',
        'expires............: 1.6.2027 10:00:00',
      ],
    ],
    [
      'labels in brackets',
      [
        'a. [Domain Name]                EXAMPLE.TLD',
        '[Name Server]                   ns1.example.org',
        '[Created on]                    2019/06/01 10:00:00',
        '[Expires on]                    2027/06/01 10:00:00',
        '[Status]                        clientHold',
      ],
    ],
    [
      'values on the lines below their labels',
      [
        '    Domain name:',
        '        example.tld',
        '',
        '    Registrar:',
        '        Example',
        '',
        '    Registration status:',
        '        clientHold',
        '',
        '    Relevant dates:',
        '        Registered on: 01-Jun-2019 10:00:00',
        '        Expiry date:  01-Jun-2027 10:00:00',
      ],
    ],
    [
      'columns',
      [
        'Domain-name         example.tld',
        'Admin-id            EXAMPLE-1',
        'Domain-status       clientHold',
        'Created             2019-06-01 10:00:00',
        'Valid-date          2027-06-01 10:00:00',
      ],
    ],
    [
      'dates in sentences',
      [
        'Domain Name: example.tld',
        'Domain Status: clientHold',
        'Registrar: Example',
        'Record created on 2019-06-01 10:00:00',
        'Record expires on 2027-06-01 10:00:00',
      ],
    ],
    [
      'French labels, followed by # signs',
      [
        'NOM DE DOMAINE..............# example.tld',
        'Statut......................# clientHold',
        'Date de creation............# 01-06-2019 10:00:00',
        "Date d'expiration...........# 01-06-2027 10:00:00",
      ],
    ],
    [
      'Spanish labels',
      [
        'Nombre de Dominio: example.tld',
        'Estatus del dominio: clientHold',
        'Titular: Example',
        'Fecha de Creacion: 2019-06-01 10:00:00',
        'Fecha de Vencimiento: 2027-06-01 10:00:00',
      ],
    ],
  ])('is read in this layout: %s', (_how, answer) => {
    expect(reading('example.tld', answer)).toMatchObject({
      facts: {
        outcome: 'found',
        statuses: ['client hold'],
        publishesExpiry: true,
        registrable: 'no',
        registeredAt: new Date('2019-06-01T10:00:00Z'),
        expiresAt: new Date('2027-06-01T10:00:00Z'),
      },
    });
  });

  it('means that the registry publishes no expiry dates if a .be record has none', () => {
    const answer = ['Domain: example.be', 'Status: NOT AVAILABLE', 'Registered: Tue Dec 12 2000'];
    expect(reading('example.be', answer)).toMatchObject({
      facts: { outcome: 'found', expiresAt: null, publishesExpiry: false },
    });
  });

  it.each([
    ['the renewal date, if no other date is given', ['Renewal date: 2027-06-01'], '2027-06-01'],
    ['not the date of the last renewal (.th)', ['Renew date: 2026-06-02', 'Exp date: 2027-06-01'], '2027-06-01'],
    [
      'not the expiry of an option on the name (.pl)',
      ['option expiration date: 2026-03-01', 'renewal date: 2027-06-01'],
      '2027-06-01',
    ],
    [
      'not the day on which the name becomes free (.ru)',
      ['free-date: 2027-07-05', 'paid-till: 2027-06-01'],
      '2027-06-01',
    ],
    [
      'not the dates of the steps after expiry (.ee)',
      ['expire: 2027-06-01', 'outzone: 2027-07-15', 'delete: 2027-07-30'],
      '2027-06-01',
    ],
    ['the day until which the name is billed (.nz)', ['domain_datebilleduntil: 2027-06-01'], '2027-06-01'],
    ['the day in the status (.ua)', ['status: OK-UNTIL 20270601000000'], '2027-06-01'],
    ['an expiry in the year 2999 (.za)', ['Registry Expiry Date: 2999-12-31T00:00:00Z'], '2999-12-31'],
    ['a date without the day of the month', ['Expiry date: Sun Jun 2027 23:59:59'], null],
    ['a date with unclear order of day and month', ['Expiry date: 06/07/2027'], null],
    ['a date made clear by another date', ['Expiry date: 06/07/2027', 'Changed: 27/05/2026'], '2027-07-06'],
    ['the date of the last change', ['Last update: 2026-06-01', 'Redemption until: 2027-01-01'], null],
    ['an unknown date', ['Expiry date: unknown'], null],
    ['an unclear creation date', ['Expiry date: 2027-06-01', 'Created: before 2000'], '2027-06-01'],
  ])('gives the right expiry date or null (%s): %j gives %s', (_when, lines, day) => {
    const read = reading('example.tld', ['Domain: example.tld', 'Registrar: Example', ...lines]);
    const expiresAt = day === null ? null : new Date(day);
    expect(read).toMatchObject({ facts: { outcome: 'found', expiresAt } });
  });

  it.each([
    ['[State] Connected (2027/03/31)', '2027-03-31'],
    ['[状態] Connected (2027/03/31)', '2027-03-31'],
    ['[State] Registered (2027/03/31)', '2027-03-31'],
    ['[State] Deleted (2027/03/31)', null],
    ['[State] Connected', null],
  ])('takes its expiry date from the state under .or.jp: %s gives %s', (state, day) => {
    const lines = ['a. [Domain Name] EXAMPLE.OR.JP', 'p. [Name Server] ns1.example.net', state];
    const read = reading('example.or.jp', [...lines, '[Connected Date] 2001/04/03']);
    expect(read).toMatchObject({ facts: { outcome: 'found', expiresAt: day === null ? null : new Date(day) } });
  });

  it('takes no expiry date from the status under other TLDs than .jp', () => {
    const answer = ['Domain: example.tld', 'Registrar: Example', 'Status: Connected (2027/03/31)'];
    expect(reading('example.tld', answer)).toMatchObject({ facts: { outcome: 'found', expiresAt: null } });
  });

  it('counts as registered with only the name and a deletion status', () => {
    const answer = ['Domain name: example.ca', 'Domain status: to be released', 'TBR Release date: 2026/12/02'];
    expect(reading('example.ca', answer)).toMatchObject({ facts: { outcome: 'found', quarantine: 'pending_delete' } });
  });

  it('counts as registered without the domain name only if all other facts are there', () => {
    const answer = ['Last Name: Beispiel', 'Date Created: Tue Aug 2019 10:00', 'Expiry date: Sun Jun 2027 10:00'];
    expect(judged('example.tld', [...answer, 'DNS servers1: ns1.example.org'])).toBe('found by whois.found');
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });

  it('counts as registered even if JWhoisServer adds that a contact was not found', () => {
    const answer = ['domain: example.tld', 'mntnr: M-1', 'NO OBJECT FOUND!', 'object: 234', 'type: person'];
    expect(judged('example.tld', answer)).toBe('found by whois.found');
  });

  it('is read in RWhois format', () => {
    const answer = [
      'domain:Class-Name:domain',
      'domain:Domain-Name:example.tld',
      'domain:Owner-Contact;I:1.example.tld',
    ];
    expect(reading('example.tld', [...answer, 'domain:Created:20190601'])).toMatchObject({
      facts: { outcome: 'found', registeredAt: new Date('2019-06-01') },
    });
  });

  it('may spell an internationalized name in Unicode or in Punycode', () => {
    const answer = (spelling: string) => [`domain: ${spelling}`, 'state: REGISTERED, DELEGATED', 'created: 2019-06-01'];
    expect(judged('xn--bcher-kva.tld', answer('bücher.tld'))).toBe('found by whois.found');
    expect(judged('xn--bcher-kva.tld', answer('XN--BCHER-KVA.TLD'))).toBe('found by whois.found');
  });

  it('has the statuses of the domain, without those of a contact', () => {
    const answer = [
      'domain: example.tld',
      'status: ok',
      'created: 2019-06-01',
      '',
      'contact-id: example-1',
      'status: pendingDelete',
    ];
    expect(reading('example.tld', answer)).toMatchObject({ facts: { statuses: ['active'] } });
  });

  it.each([
    ['Status: pendingDelete / redemptionPeriod', ['pending delete', 'redemption period']],
    ['Status: ok / autoRenewPeriod', ['active', 'auto renew period']],
    ['Status: autoRenewGracePeriod', ['auto renew period']],
    ['Status: clientHold, client transfer prohibited', ['client hold', 'client transfer prohibited']],
    ['Status: serverHold (by court order)', ['server hold']],
    ['Status: ok - Normal state.', ['active']],
  ])('has its statuses split and normalized: "%s" gives %j', (status, statuses) => {
    const answer = ['Domain: example.tld', status, 'Created: 2019-06-01', 'Registrar: Example'];
    expect(reading('example.tld', answer)).toMatchObject({ facts: { statuses } });
  });

  it.each([
    ['nl', 'Status: in quarantine', 'redemption'],
    ['be', 'Status: QUARANTINE', 'redemption'],
    ['ca', 'Domain status: to be released', 'pending_delete'],
    ['uk', 'Registration status: No longer required', 'redemption'],
    ['tld', 'Status: in quarantine', null],
  ])('has the deletion phase that its status means under this TLD: .%s, "%s", %s', (tld, status, quarantine) => {
    const answer = [`Domain name: example.${tld}`, status, 'Registrar: Example', 'Created: 2019-06-01'];
    expect(reading(`example.${tld}`, answer)).toMatchObject({ facts: { outcome: 'found', quarantine } });
  });

  it('leaves no contact details in the excerpt', () => {
    const answer = [
      'Domain Name: example.tld',
      'Registrar: Example',
      'Domain Status: ok',
      'Creation Date: 2019-06-01',
      ...CONTACT,
    ];
    const { excerpt } = reading('example.tld', answer);
    expect(excerpt).toBe('domain name: example.tld; domain status: ok; creation date: 2019-06-01');
    expect(reading('example.tld', CONTACT).excerpt).not.toMatch(/Maria|maria|3012345678/);
    expect(reading('example.tld', ['Too many requests from maria@example.org']).excerpt).not.toContain('maria');
  });
});

describe('a registry without published expiry dates', () => {
  it.each([...TLDS_WITHOUT_EXPIRY])('is recognized in WHOIS answers too: .%s', (tld) => {
    const read = reading(`example.${tld}`, [`Domain: example.${tld}`, 'Status: active', 'Registrar: Example']);
    expect(read).toMatchObject({ kind: 'facts', facts: { outcome: 'found', publishesExpiry: false } });
  });
});
