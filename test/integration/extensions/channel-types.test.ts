import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import slack from '../../../examples/slack-channel/src/slack.js';
import { startForTests, type TestNamewatch } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';

const TARGET = 'https://hooks.slack.com/services/T00000000/B00000000/ExampleExampleExample123';
const MASKED = 'https://hooks.slack.com/services/T00000000/B00000000/…';

describe('a channel type of an extension', () => {
  let namewatch: TestNamewatch;
  beforeAll(async () => {
    const settings = { DATABASE_URL: await freshDatabase(), ROLE: 'api' };
    namewatch = await startForTests({ extensions: [slack], settings });
  });
  afterAll(() => namewatch.close());

  it('can be used for a new channel, which is listed with a masked target', async () => {
    const { client } = namewatch;
    const opened = await client.post('/v1/notifications', { type: 'slack', target: TARGET });
    expect(opened).toMatchObject({ status: 201, body: { type: 'slack', target: MASKED } });
    expect((await client.get('/v1/notifications')).body).toMatchObject({ data: [{ type: 'slack', target: MASKED }] });
  });

  it('is in the API document, with its example', async () => {
    const { body } = await namewatch.client.get<{ paths: Json; components: { schemas: Json } }>('/openapi.json');
    const types = Object.values(body.components.schemas as Readonly<Record<string, Json>>).flatMap(
      ({ properties = {} }) => {
        const type = (properties as Json)['type'] as { enum?: string[] } | undefined;
        return type?.enum?.includes('webhook') === true ? [type.enum.join()] : [];
      },
    );
    expect(new Set(types)).toEqual(new Set(['email,slack,webhook']));
    expect(types.length).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(body.paths['/v1/notifications'])).toContain(
      JSON.stringify({ type: 'slack', target: TARGET }),
    );
  });
});

type Json = Readonly<Record<string, unknown>>;
