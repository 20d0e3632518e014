import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { InvalidConfigurationError } from '../../../../src/config/invalid-configuration.error.js';
import { SecretBox } from '../../../../src/platform/crypto/secret-box.js';
import { serviceDatabase } from '../../../support/servers/test-service.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const aKey = () => randomBytes(32).toString('base64');

describe('a service with secrets sealed by an earlier key', () => {
  it('starts with that key among the previous ones; without it, one line names the missing key', async () => {
    const [DATABASE_URL, earlier, current] = [await serviceDatabase(), aKey(), aKey()];
    const before = await NotificationService.start({ DATABASE_URL, MASTER_KEY: earlier });
    const body = { type: 'webhook', target: 'https://hooks.example.test/' };
    const opened = (await before.service.call({ method: 'POST', path: '/v1/notifications', body })).body;
    const [row] = await before.rows('select sealed_secret from notification_channels');
    await before.close();

    const settings = { DATABASE_URL, MASTER_KEY: current, MASTER_KEY_PREVIOUS: earlier };
    const after = await NotificationService.start(settings);
    const context = `notification channel ${String(opened['id'])}`;
    expect(after.of(SecretBox).open(String(row?.['sealed_secret']), context)).toBe(opened['secret']);
    await after.close();

    const missing = NotificationService.start({ DATABASE_URL, MASTER_KEY: current });
    await expect(missing).rejects.toThrow(InvalidConfigurationError);
    await expect(missing).rejects.toThrow(/^MASTER_KEY_PREVIOUS lacks the key [0-9a-f]{8}: 1 channel secrets need it$/);
  });

  it('does not need it once its secrets have expired, which the next change removes', async () => {
    const [DATABASE_URL, earlier, current] = [await serviceDatabase(), aKey(), aKey()];
    const before = await NotificationService.start({ DATABASE_URL, MASTER_KEY: earlier });
    const body = { type: 'webhook', target: 'https://hooks.example.test/' };
    const { id } = (await before.service.call({ method: 'POST', path: '/v1/notifications', body })).body;
    const path = `/v1/notifications/${String(id)}`;
    await before.close();

    const both = { DATABASE_URL, MASTER_KEY: current, MASTER_KEY_PREVIOUS: earlier };
    const changing = await NotificationService.start(both);
    const { key } = await changing.service.openAccount();
    await changing.rows(
      'update notification_channels set account_id = (select account_id from api_keys where revoked_at is null order by created_at desc limit 1)',
    );
    expect((await changing.service.call({ method: 'POST', path: `${path}/rotate-secret`, key })).status).toBe(200);
    await changing.rows(
      `update notification_channels
       set older_secrets = jsonb_set(older_secrets, '{0,until}', to_jsonb((now() - interval '1 second')::text))`,
    );
    await changing.close();

    const after = await NotificationService.start({ DATABASE_URL, MASTER_KEY: current });
    expect(await after.rows('select jsonb_array_length(older_secrets) as n from notification_channels')).toEqual([
      { n: 1 },
    ]);
    expect((await after.service.call({ method: 'PATCH', path, key, body: { tags: ['x'] } })).status).toBe(200);
    expect(await after.rows('select older_secrets from notification_channels')).toEqual([{ older_secrets: [] }]);
    await after.close();
  });
});
