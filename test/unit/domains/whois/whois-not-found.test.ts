import { describe, expect, it } from '@jest/globals';
import { judged, reading, TERMS } from './whois-answers.js';

describe('a WHOIS answer', () => {
  it.each([
    ['No match for "EXAMPLE.TLD".', 'no_match'],
    ['No match for example.tld', 'no_match'],
    ['% No match for "example.TLD".', 'no_match'],
    ['No match!!', 'no_match'],
    ['No entries found in the NIC Database.', 'no_match'],
    ['%ERROR:101: no entries found', 'no_match'],
    ['No such domain: example.tld', 'no_match'],
    ['No_Data_Found', 'no_match'],
    ['No Object Found', 'no_match'],
    ['There is no information available on the domain consulted.', 'no_match'],
    ['We do not have an entry in our database matching your query.', 'no_match'],
    ['NOT FOUND', 'not_found'],
    ['%% NOT FOUND', 'not_found'],
    ['not found...', 'not_found'],
    ['Not found: example.tld', 'not_found'],
    ['Domain example.tld not found.', 'not_found'],
    ['The domain example.tld was not found!', 'not_found'],
    ['The queried object does not exist: DOMAIN NOT FOUND', 'not_found'],
    ['Domain name example.tld does not exist in database!', 'not_found'],
    ['Sorry, but domain: "example.tld", not found in database', 'not_found'],
    ['Domain unknown', 'not_found'],
    ['% nothing found', 'not_found'],
    ['exampleNOT FOUND', 'not_found'],
    ['This domain name has not been registered.', 'not_registered'],
    ['%ERROR:103: Domain is not registered', 'not_registered'],
    ['Above domain name is not registered to EXNIC.', 'not_registered'],
    ['example.tld is free', 'available'],
    ['>>> Domain example.tld is available for registration', 'available'],
    ['Available', 'available'],
    ['Domain: example.tld\r\nStatus: free', 'status'],
    ['Domain:   example.tld\r\nStatus:   AVAILABLE', 'status'],
    ['domain_name: example.tld\r\nquery_status: 220 Available', 'status'],
    ['Domain Name: example.tld\r\nDomain Status: No Object Found', 'status'],
    ['example.tld: no existe', 'not_found'],
    ['El dominio no se encuentra registrado en NIC', 'not_found'],
    ['Domaine inconnu', 'not_found'],
    ['Nincs találat / No match', 'not_found'],
    ['상기 도메인이름은 등록되어 있지 않습니다.', 'not_found'],
    ['Domain: example.tld\r\nMessage: No Object Found', 'no_match'],
    ["No record found for 'example.tld'.", 'no_match'],
    ['There is no live registration for example.tld', 'no_match'],
    ['*** Nothing found for this query.', 'not_found'],
    ['Available\r\nNo information was found matching that query.', 'available'],
    ['-1: No match found', 'no_match'],
    ['Not find MatchingRecord', 'not_found'],
    ['Available: Yes.', 'available'],
    ['Domain Name: example.tld\r\nStatus: Not Registered, and may be available if valid', 'status'],
    ['No_Se_Encontro_El_Objeto/Object_Not_Found', 'not_found'],
    ['El dominio example.tld está disponible', 'not_found'],
    ['O domínio example.tld está disponível para registro', 'not_found'],
    ['Le domaine example.tld est disponible', 'not_found'],
    ['Домен example.tld свободен', 'not_found'],
    ['El dominio no se encuentra registrado en la base de datos', 'not_found'],
    ['Domena example.tld jest dostępna', 'not_found'],
    ['没有查询到相关信息', 'not_found'],
    ['Unfortunately, No Results Were Found', 'no_match'],
    [
      'The queried object does not exist: previous registration D1-CNIC was purged on 2026-11-20T01:03:34.0Z (DOMAIN NOT FOUND)',
      'not_found',
    ],
    [
      '%rwhois V-1.5:003fff:00 whois.nic.tld (by Network Solutions, Inc. V-1.5.9.5)\r\n%error 230 No Objects Found',
      'no_match',
    ],
    ['You queried for example.tld but this server does not have\r\nany data for example.tld.', 'no_match'],
    ['The domain name example.tld\r\n is not registered.', 'not_registered'],
    ['NO OBJECT FOUND!\r\nobject:.............example.tld\r\ntype:...............domain', 'no_match'],
    ['Status: AVAILABLE (No match for domain "example.tld")', 'status'],
  ])('means available if it says %j', (answer, rule) => {
    expect(judged('example.tld', answer)).toBe(`absent by whois.absent.${rule}`);
    expect(judged('example.tld', [...TERMS, '', answer, '', ...TERMS])).toBe(`absent by whois.absent.${rule}`);
  });

  it.each([
    ['gq', 'Invalid query or domain name not known in Dot GQ Domain Registry'],
    ['bo', 'whois.nic.bo solo acepta consultas con dominios .bo'],
    ['lk', 'This Domain is not available in our whois database'],
  ])('means available only under .%s if it says "%s"', (tld, answer) => {
    expect(judged(`example.${tld}`, answer)).toBe('absent by whois.absent.registry');
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });

  it('means available even if the registry must approve the holder', () => {
    const note = 'Notes: This name is restricted, and can be registered but will require approval';
    const answer = ['Domain Name: example.tld', 'Domain Status: No Object Found', note];
    expect(judged('example.tld', answer)).toBe('absent by whois.absent.status');
  });

  it('means available even if terms of use follow', () => {
    const rules = [
      '% Users are advised that the following activities are strictly forbidden.',
      '% Any other use constitutes unauthorised access to a computer,',
      '% which is an offence under the law, and may lead to prosecution in the country of',
      '% (in either of the two cases) the registry or the user.',
    ];
    const answer = ['domain_name: example.tld', 'query_status: 220 Available', '', ...rules];
    expect(judged('example.tld', answer)).toBe('absent by whois.absent.status');
  });

  it('means available at a premium price if it says so', () => {
    const answer = ['Domain not found.', 'This is a premium name.'];
    expect(reading('example.tld', answer)).toMatchObject({ facts: { outcome: 'absent', registrable: 'premium' } });
  });

  it.each(['found.tld', 'match.tld', 'free.tld', 'available.tld', 'domain.tld'])(
    'means available even if the queried name contains words of such answers: %s',
    (name) => {
      expect(judged(name, `${name} is free`)).toMatch(/^absent/);
      expect(judged(name, 'NOT FOUND')).toMatch(/^absent/);
      expect(judged(name, `No match for "${name.toUpperCase()}".`)).toMatch(/^absent/);
    },
  );
});

describe('a WHOIS answer with similar words', () => {
  it.each([
    ['a longer name is free', 'my-example.tld is free'],
    ['not available', 'Domain example.tld is not available'],
    ['unavailable', ['Domain: example.tld', 'Status: unavailable']],
    ['another thing is available', 'The whois information is available'],
    ['a part of the terms of use', '% persons to check whether a specific domain name is still available'],
    ['only a contact is unknown', ['Name: not found', 'Address: unknown']],
    ['a registrar is not found', 'Registrar: not found'],
    ['not found for one of several reasons', 'Domain not found, marked private, or error in your query.'],
    ['a condition in the same sentence', 'If the domain is not registered, it is available.'],
    ['a condition in the next line', ['This domain name is available', 'if no one else has asked for it']],
    ['not found because of an error', ['The name example.tld was not found', 'due to an error of ours']],
    ['not found in another zone', ['This server does not have any records', 'for that zone.']],
    [
      'a contact is missing',
      ['domain: example.tld', 'mntnr: M-1', '', 'NO OBJECT FOUND!', 'object: 210', 'type: person'],
    ],
    ['only a registrar does not have the name', "Domain not found in this registrar's database"],
    ['the database is offline', 'No information available. Database offline.'],
    ['the database is down', ['No match for "EXAMPLE.TLD".', 'ERROR: database down']],
    ['only "No data"', 'No data'],
    ['not available, in French', "Le domaine example.tld n'est pas disponible"],
    ['not available, in Spanish', 'El dominio example.tld no está disponible'],
    ['not free, in Russian', 'Домен example.tld не свободен'],
    ['a connection does not exist', 'No existe conexión con la base de datos'],
    ['a service was not found', 'Error: no se encontró el servicio'],
    ['reserved, in Spanish', 'El dominio no está registrado, nombre reservado'],
    ['for sale', 'example.tld is available for sale by its owner'],
    ['available only later', 'The domain has been deleted and will be available soon'],
    ['nothing', ''],
    ['white space', '\r\n  \r\n\t'],
    ['only terms of use', TERMS],
    ['HTML', '<html><body><h1>404 Not Found</h1></body></html>'],
    ['only the queried name', 'example.tld'],
    ['a status without a name', 'Status: available'],
    ['an unknown server problem', ['You reached the maximum allowable whois lookups.', 'No data']],
    ['a record with unknown labels', [...'abcdefghij'].map((each) => `qq${each}: x`).concat('No data')],
  ])('does not mean available (%s): %j', (_when, answer) => {
    expect(judged('example.tld', answer)).not.toMatch(/^absent/);
  });

  it('does not mean available if the known footer of .bo follows another message', () => {
    const foot = 'whois.nic.bo solo acepta consultas con dominios .bo';
    expect(judged('example.bo', ['NOMBRE RETENIDO', foot])).toBe('registry_answer_unusable by whois.unclassified');
  });

  it.each([
    ['Registrar: Example Registrar'],
    ['Creation Date: 2019-06-01'],
    ['Name Server: ns1.example.org'],
    ['Status: active'],
  ])('is unusable if it says "No match" beside a field of a registration: %s', (field) => {
    expect(judged('example.tld', ['Domain: example.tld', field, 'No match'])).toBe(
      'registry_answer_unusable by whois.contradiction',
    );
  });

  it('means registered if the registry has a record and only the registrar has none', () => {
    const registry = ['Domain Name: EXAMPLE.TLD', 'Registrar: Example', 'Domain Status: redemptionPeriod'];
    const chain = ['# whois.nic.tld', '', ...registry, '', '# whois.registrar.example', '', 'No match for example.tld'];
    expect(judged('example.tld', chain)).toBe('found by whois.found');
  });
});
