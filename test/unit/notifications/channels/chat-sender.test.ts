import { expect, it } from '@jest/globals';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { ChatSender } from '../../../../src/notifications/channels/chat-sender.js';
import type { GuardedHttp } from '../../../../src/notifications/channels/guarded-http.js';
import type { Bundle } from '../../../../src/notifications/domain/channel-sender.js';
import { ntfy } from '../../../../src/notifications/domain/formats/ntfy.js';
import type { HttpRequest } from '../../../../src/notifications/domain/http-exchange.js';
import { EXAMPLE_EVENTS } from '../../../../src/notifications/events/event-examples.js';

it('a chat message is sent with the HTTP method of its format, POST by default', async () => {
  const sent: HttpRequest[] = [];
  const send = (request: HttpRequest) => {
    sent.push(request);
    return Promise.resolve({ reply: { status: 200, excerpt: null, retryAfterMs: null } });
  };
  const channel = { id: 'nc_1', target: ntfy.example.target, headers: {} };
  const bundle = { channel, events: [EXAMPLE_EVENTS['watchlist.available']], total: 1, timeoutMs: 1_000 };
  const put: typeof ntfy = { ...ntfy, toRequest: (...asked) => ({ ...ntfy.toRequest(...asked), method: 'PUT' }) };
  for (const format of [ntfy, put])
    await new ChatSender(format, { send } as unknown as GuardedHttp, TimeUnits.REAL, null).sendBundle(
      bundle as unknown as Bundle,
    );
  expect(sent.map(({ method }) => method)).toEqual([undefined, 'PUT']);
  expect(sent[1]).toMatchObject({ url: sent[0]?.url, headers: { 'content-type': 'application/json' } });
});
