import { beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { Agent, fetch } from 'undici';
import { TransactionCursor } from '../../../src/kernel/paging/transaction-cursor.js';
import { CursorSeal } from '../../../src/platform/crypto/cursor-seal.js';
import { SendSummaries } from '../../../src/notifications/summaries/send-summaries.js';
import { EVENT_TYPES } from '../../../src/notifications/domain/event-type.js';
import { running } from '../../support/running.js';
import { EventContract } from '../../support/documents/event-contract.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../world/registry.js';
import { saying } from '../../world/registry-faults.js';
import { startTestService } from '../../support/servers/test-service.js';
import { type ReceivedWebhook, verified, WebhookReceiver } from '../../world/receiver.js';

const DAY = 86_400_000;
const expiresIn = (days: number) => ({ expiresAt: new Date(Date.now() + days * DAY), registeredAt: new Date(0) });

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly domain?: string; readonly move?: string; readonly [field: string]: unknown };
}

const contract = EventContract.committed();
const registry = running(() => FakeRegistry.start());
const receiver = running(() => WebhookReceiver.startTrusted());
const service = running(async () => {
  const started = await startTestService({
    TIME_SCALE: '3600', // an hour takes a second
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    ...receiver.settings,
  });
  await started.app.listen(0, '127.0.0.1');
  return started;
});
let secret = '';
beforeAll(async () => {
  receiver.answers((reply, { path }) => reply.writeHead(path === '/gone' ? 410 : 204).end());
  secret = String((await open(receiver.url('/all')))['secret']);
});

const post = async (path: string, body?: object) =>
  (await service.call({ method: 'POST', path, ...(body === undefined ? {} : { body }) })).body;
const open = (target: string) => post('/v1/notifications', { type: 'webhook', target });
const watch = (domain: string) =>
  post('/v1/watchlist', { domain, interval_minutes: 5, tags: ['contract'], notify_current: true });

const webhooks = () => receiver.received.all.filter(({ path }) => path === '/all');
const eventOf = ({ body }: ReceivedWebhook) => JSON.parse(body.toString()) as Event;
/** The webhook that brings this. */
const arrival = async (type: string, data: object, path = '/all'): Promise<ReceivedWebhook> => {
  const wanted = (one: ReceivedWebhook) => {
    const event = eventOf(one);
    const isAbout = Object.entries(data).every(([field, value]) => event.data[field] === value);
    return one.path === path && event.type === type && isAbout;
  };
  const found = await eventually(
    async () => receiver.received.all.find(wanted),
    (webhook) => webhook !== undefined,
    30_000,
  );
  if (!found) throw new Error('nothing arrived');
  return found;
};
/** The webhook of an event that only one channel gets. */
const arrivalAtOwnChannel = async (type: string, act: (id: string) => Promise<unknown>): Promise<ReceivedWebhook> => {
  const path = `/all?${type}`;
  const id = String((await open(receiver.url(path)))['id']);
  await act(id);
  const webhook = await arrival(type, { channel_id: id }, path);
  await service.call({ method: 'DELETE', path: `/v1/notifications/${id}` });
  return webhook;
};

/** How each type of event comes about. */
const HAPPENS: Readonly<Record<(typeof EVENT_TYPES)[number], () => Promise<ReceivedWebhook>>> = {
  'watchlist.expiring': async () => {
    registry.holds('reminder.example', expiresIn(50));
    await watch('reminder.example');
    return arrival('watchlist.expiring', { domain: 'reminder.example' });
  },
  'watchlist.status_changed': async () => {
    registry.holds('lapsing.example', expiresIn(300));
    await watch('lapsing.example');
    await eventually(
      async () => registry.queries('lapsing.example'),
      (count) => count > 0,
    );
    registry.holds('lapsing.example', { ...expiresIn(-20), statuses: ['redemption period', 'pending delete'] });
    return arrival('watchlist.status_changed', { domain: 'lapsing.example', status: 'pending_delete' });
  },
  'watchlist.phase_changed': async () => {
    registry.holds('lapsing.example', { ...expiresIn(-20), statuses: ['pending delete'] });
    return arrival('watchlist.phase_changed', { domain: 'lapsing.example' });
  },
  'watchlist.available': async () => {
    registry.releases('lapsing.example');
    return arrival('watchlist.available', { domain: 'lapsing.example' });
  },
  'watchlist.check_failing': async () => {
    registry.says('failing.example', saying(500, 'out of order'));
    await watch('failing.example');
    return arrival('watchlist.check_failing', { domain: 'failing.example' });
  },
  'watchlist.check_recovered': async () => {
    registry.holds('failing.example', expiresIn(300));
    return arrival('watchlist.check_recovered', { domain: 'failing.example' });
  },
  'watchlist.record_changed': async () => {
    registry.holds('own.example', { ...expiresIn(300), registrar: 'One' });
    await post('/v1/watchlist', { domain: 'own.example', interval_minutes: 5, tags: ['contract'], purpose: 'own' });
    await eventually(
      async () => registry.queries('own.example'),
      (count) => count > 2,
    );
    registry.holds('own.example', { ...expiresIn(300), registrar: 'Two' });
    return arrival('watchlist.record_changed', { domain: 'own.example', kind: 'registrar' });
  },
  'watchlist.drift_changed': async () => {
    registry.holds('expected.example', { ...expiresIn(300), statuses: ['client transfer prohibited'] });
    const expected = { locked: true };
    const body = { domain: 'expected.example', interval_minutes: 5, tags: ['contract'], expected };
    await post('/v1/watchlist', body);
    await eventually(
      async () => registry.queries('expected.example'),
      (count) => count > 0,
    );
    registry.holds('expected.example', { ...expiresIn(300), statuses: ['active'] });
    return arrival('watchlist.drift_changed', { domain: 'expected.example' });
  },
  'watchlist.summary': async () => {
    const summary = { every: 'week', on: 1, at: '08:00', zone: 'Europe/Berlin', send_empty: true };
    return arrivalAtOwnChannel('watchlist.summary', async (id) => {
      await service.call({ method: 'PATCH', path: `/v1/notifications/${id}`, body: { summary } });
      await service.query('update notification_channels set next_summary_at = now() where id = $1', [id]);
      await service.get(SendSummaries).run();
    });
  },
  'channel.test': () => arrivalAtOwnChannel('channel.test', (id) => post(`/v1/notifications/${id}/test`)),
  'channel.disabled': async () => {
    const { id } = await open(receiver.url('/gone'));
    await watch('disabling--available.test');
    return arrival('channel.disabled', { channel_id: id });
  },
};

describe('the documented event format', () => {
  it('includes a webhook for every type of event, and no other', () => {
    expect(contract.types).toEqual([...EVENT_TYPES]);
    for (const type of EVENT_TYPES)
      expect(Object.keys(contract.webhook(type).responses)).toEqual(expect.arrayContaining(['2XX', '410', 'default']));
  });

  // In this order: a name goes from one to the next.
  it.each(Object.entries(HAPPENS))('fits a real webhook of type %s', async (type, happens) => {
    const webhook = await happens();
    expect(eventOf(webhook).type).toBe(type);
    expect(contract.breachesOf(webhook)).toEqual([]);
    if (webhook.path === '/all') expect(verified(webhook, secret)).toEqual(eventOf(webhook));
  });

  it('lists exactly the headers that a webhook has', () => {
    const usual = ['host', 'connection', 'content-length', 'content-type'];
    const described = contract.headers('watchlist.available').map(({ name }) => name);
    for (const { headers } of webhooks())
      expect(
        Object.keys(headers)
          .filter((name) => !usual.includes(name))
          .sort(),
      ).toEqual([...described].sort());
  });

  it('fits the events of /v1/events, which are the same as in webhooks', async () => {
    const events = await eventually(
      async () => (await service.call({ path: '/v1/events?limit=1000' })).body['data'] as Event[],
      (all) => webhooks().every((webhook) => all.some(({ id }) => id === eventOf(webhook).id)),
    );
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
    expect(events.flatMap((event) => contract.breachesOfEvent(event))).toEqual([]);
    for (const webhook of webhooks()) expect(events).toContainEqual(eventOf(webhook));
  });

  it('fits the events of the event stream', async () => {
    const dispatcher = new Agent();
    const first = service.get(CursorSeal).seal(TransactionCursor.START, `events of ${service.account.id}`);
    const headers = { authorization: `Bearer ${service.account.key}`, 'last-event-id': first };
    const reply = await fetch(`${await service.app.getUrl()}/v1/events/stream`, { headers, dispatcher });
    const seen = new Map<string, string[]>();
    let text = '';
    for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      for (const [, type = '', data = ''] of text.matchAll(/event: (\S+)\ndata: (.*)\n\n/g))
        seen.set(type, contract.breachesOfEvent(JSON.parse(data) as Event));
      if (seen.size === EVENT_TYPES.length) break;
    }
    await dispatcher.destroy();
    expect([...seen.values()].flat()).toEqual([]);
  });

  it.each(EVENT_TYPES)('has an example of %s with a valid signature', (type) => {
    const { example } = contract.webhook(type).requestBody.content['application/json'];
    const examples = contract.headers(type).map((one) => [one.name, one.example ?? one.examples?.[type]?.value]);
    const headers = Object.fromEntries(examples) as Record<string, string>;
    const body = JSON.stringify(example);
    expect(contract.breachesOf({ headers, body })).toEqual([]);
    const [{ id }, sentAt] = [example as unknown as Event, Number(headers['webhook-timestamp']) * 1_000];
    const [, exampleSecret = ''] = /`(whsec_[^`]+)`/.exec(JSON.stringify(contract.headers(type))) ?? [];
    expect(headers['webhook-signature']).toBe(new Webhook(exampleSecret).sign(id, new Date(sentAt), body));
  });

  it('allows a record_changed event with an empty list of name servers or DS records', () => {
    const good = contract.webhook('watchlist.record_changed').requestBody.content['application/json']
      .example as never as Event;
    const ds = [{ key_tag: 1, algorithm: 13, digest_type: 2, digest: 'AB'.repeat(32) }];
    for (const change of [
      { kind: 'ds', before: ds, after: [] },
      { kind: 'ds', before: [], after: ds },
      { kind: 'nameservers', before: ['ns1.example.net'], after: [] },
    ])
      expect(contract.breachesOfEvent({ ...good, data: { ...good.data, ...change } } as Event)).toEqual([]);
  });
});
