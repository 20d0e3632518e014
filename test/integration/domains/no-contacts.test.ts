import { expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { FakeWhois, saying as whoisSaying } from '../../world/whois.js';
import { rdapNotFound, rdapRecord } from '../../support/builders/rdap-answers.js';
import { saying } from '../../world/registry-faults.js';
import { startTestService } from '../../support/servers/test-service.js';
import { running } from '../../support/running.js';

/** A fictitious contact: no part may be found in the database, whatever the registry answers. */
const PERSON = {
  name: 'Quirina Xanthippe Zweistein',
  organisation: 'Zweistein Holding Wxyz GmbH',
  street: 'Quellgasse 47q11',
  city: 'Zuzwilhausen',
  email: 'quirina@zweistein-wxyz.example',
  phone: '+41.715550199',
  fax: '+41 71 555 01 98',
};
/** None of digits alone: a time of day may hold any of up to six. */
const TRACES = /quirina|xanthippe|zweistein|wxyz|quellgasse|47q11|zuzwil|715550199|555 ?01 ?98/i;

const vcard = (role: string) => ({
  objectClassName: 'entity',
  roles: [role],
  handle: `${PERSON.name}-1`,
  vcardArray: [
    'vcard',
    [
      ['fn', {}, 'text', PERSON.name],
      ['org', {}, 'text', PERSON.organisation],
      ['adr', {}, 'text', ['', '', PERSON.street, PERSON.city, '', '9000', 'CH']],
      ['email', {}, 'text', PERSON.email],
      ['tel', { type: 'voice' }, 'uri', `tel:${PERSON.phone}`],
    ],
  ],
});
const contacts = (whose: string) => [
  `${whose} Name: ${PERSON.name}`,
  `${whose} Organization: ${PERSON.organisation}`,
  `${whose} Street: ${PERSON.street}`,
  `${whose} City: ${PERSON.city}`,
  `${whose} Email: ${PERSON.email}`,
  `${whose} Phone: ${PERSON.phone}`,
  `${whose} Fax: ${PERSON.fax}`,
];
const entities = ['registrant', 'administrative', 'technical', 'billing', 'abuse'].map(vcard);
const registration = ['Registrar: Example Registrar', 'Domain Status: ok', 'Creation Date: 2019-06-01T12:00:00Z'];

const rdap = running(() => FakeRegistry.start());
const whois = running(() => FakeWhois.start());
const service = running(() =>
  startTestService({
    RDAP_OVERRIDES: `example=${rdap.url}`,
    WHOIS_OVERRIDES: `lan=${whois.host}`,
    TIME_SCALE: '600',
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  }),
);

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await service.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const dumps: string[] = [];
  for (const { name } of tables) {
    const { rows } = await service.query<{ line: string }>(`select t::text as line from ${name} t`);
    dumps.push(`${name}: ${rows.map(({ line }) => line).join('\n')}`);
  }
  return dumps.join('\n');
}

it('the service stores no contact data of registrants, whatever a registry answers', async () => {
  const record = { ...rdapRecord('owned.example'), entities, port43: 'whois.registry.example' };
  rdap.says('owned.example', saying(200, record));
  rdap.says(
    'remarked.example',
    saying(200, {
      ...record,
      ldhName: 'remarked.example',
      remarks: [{ title: 'Contact', description: [PERSON.email] }],
    }),
  );
  rdap.says('missing.example', saying(404, { ...rdapNotFound(), entities }));
  rdap.says('odd.example', saying(200, { ...record, ldhName: 'another.example' }));
  rdap.says('page.example', saying(404, `<html><body>${PERSON.name} ${PERSON.email}</body></html>`));
  whois.says(
    'owned.lan',
    whoisSaying(['Domain Name: OWNED.LAN', ...contacts('Registrant'), ...registration, ...contacts('Tech')]),
  );
  whois.says(
    'sections.lan',
    whoisSaying([
      'domain: sections.lan',
      ...registration,
      '',
      'holder:',
      `  ${PERSON.name}`,
      `  ${PERSON.street}`,
      `  ${PERSON.email}`,
    ]),
  );
  whois.says('odd.lan', whoisSaying([...contacts('Owner'), 'nothing that anybody knows']));
  const names = ['owned', 'remarked', 'missing', 'odd', 'page'].map((label) => `${label}.example`);
  for (const domain of [...names, 'owned.lan', 'sections.lan', 'odd.lan']) {
    await service.call({ path: `/v1/domains/check?domain=${domain}&expand=evidence,lifecycle` });
    await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain, interval_minutes: 5 } });
  }
  await eventually(
    () => Promise.resolve(Math.min(rdap.queries('owned.example'), rdap.queries('odd.example'))),
    (count) => count >= 3,
  );
  const kept = await dump();
  expect(kept).toContain('owned.example');
  expect(kept).toContain('owned.lan');
  expect(kept.split('\n').filter((line) => TRACES.test(line))).toEqual([]);
});
