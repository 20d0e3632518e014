import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DomainName, type RegistryHttpReply } from 'namewatch';
import { lookupSourceContract, readTestSettings } from 'namewatch/testing';
import { readReply } from '../src/read-reply.js';
import { RegistrarSettings } from '../src/registrar-settings.js';
import { RegistrarSource } from '../src/registrar-source.js';
import { API_KEY, startFakeRegistrar } from './fake-registrar.js';

const registrar = await startFakeRegistrar();
after(() => registrar.close());

const settings = readTestSettings(RegistrarSettings, {
  ACME_REGISTRAR_URL: registrar.url.href,
  ACME_REGISTRAR_API_KEY: API_KEY,
  ACME_REGISTRAR_TLDS: 'com',
});
const contract = lookupSourceContract({
  create: (http) => new RegistrarSource(http, settings),
  registered: 'taken.com',
  unregistered: 'free.com',
  silent: 'silent.com',
  failing: ['other-name.com', 'page.com', 'outage.com', 'limit.com', 'unknown.com'],
  confidential: [API_KEY, 'owner.example'],
});
for (const { name, run } of contract) void test(name, run);

const reply = (status: number, body: object, retryAfter: string | null = null): RegistryHttpReply => {
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'reply', status, mediaType: 'application/json', location: null, retryAfter, body: bytes };
};

void test('a premium name keeps its price in the evidence', () => {
  const price = { amount: '2500.00', currency: 'USD' };
  const gold = { domain: 'gold.com', status: 'available', premium: true, price };
  const answer = readReply(DomainName.restore('gold.com'), reply(200, gold));
  assert.equal(answer.excerpt, 'available, premium, 2500.00 USD');
  assert.equal(answer.kind === 'facts' && answer.facts.registrable, 'premium');
});

void test('a limit says how long to wait', () => {
  const answer = readReply(DomainName.restore('limit.com'), reply(429, {}, '30'));
  assert.deepEqual(answer.kind === 'failure' && [answer.code, answer.retryAfterSeconds], ['registry_throttled', 30]);
});
