import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { InvalidConfiguration } from '../../../src/config.js';
import { SecretKeeper } from '../../../src/notifications/domain/signing-secret.js';
import { freshDatabase } from '../../support/database.js';
import { NotificationService } from '../../support/notification-service.js';

const aKey = () => randomBytes(32).toString('base64');

describe('a service whose webhooks were sealed with an earlier key', () => {
  it('starts with that key among the previous ones, and says in one line which one is missing without it', async () => {
    const [DATABASE_URL, earlier, current] = [await freshDatabase(), aKey(), aKey()];
    const before = await NotificationService.start({ DATABASE_URL, MASTER_KEY: earlier });
    const body = { type: 'webhook', target: 'https://hooks.example.test/' };
    const opened = (await before.service.call({ method: 'POST', path: '/v1/notifications', body })).body;
    const [row] = await before.rows('select sealed_secret from notification_channels');
    await before.close();

    const settings = { DATABASE_URL, MASTER_KEY: current, MASTER_KEY_PREVIOUS: earlier };
    const after = await NotificationService.start(settings);
    const keeper = after.of(SecretKeeper);
    expect(keeper.open(String(row?.['sealed_secret']), String(opened['id'])).text).toBe(opened['secret']);
    await after.close();

    const missing = NotificationService.start({ DATABASE_URL, MASTER_KEY: current });
    await expect(missing).rejects.toThrow(InvalidConfiguration);
    await expect(missing).rejects.toThrow(/^MASTER_KEY_PREVIOUS lacks the key [0-9a-f]{8}: 1 webhook secrets need it$/);
  });
});
