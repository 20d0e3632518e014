import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DomainError } from '../../../src/kernel/domain-error.js';
import { IdempotencyService } from '../../../src/platform/idempotency/idempotency.service.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

describe('a request with an Idempotency-Key', () => {
  const asked = () => ({ scope: randomUUID(), accountId: service.account.id, fingerprint: 'f' });
  const answered = { kind: 'answer', headers: {}, body: 'done' } as const;
  const requests = () => service.app.get(IdempotencyService, { strict: false });

  it('refuses repeats until it is done, and holds no database transaction open meanwhile', async () => {
    const request = asked();
    let finish: (() => void) | undefined;
    const first = requests().byClaim(request, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      return answered;
    });
    const second = () => requests().byClaim(request, () => Promise.resolve(answered));
    while (!finish) await new Promise(setImmediate);
    await expect(second()).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    // A task of the service may have one for a moment. One of this request would stay open.
    const open = () =>
      service.query(
        `select state from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
      );
    await eventually(open, ({ rows }) => rows.length === 0);
    finish();
    expect(await first).toEqual({ response: answered, isRepeated: false });
    expect(await second()).toEqual({ response: answered, isRepeated: true });
  });

  it.each<[string, (lines: Readable) => unknown]>([
    ['to its end', (lines) => lines.resume()],
    ['until the client disconnects', (lines) => lines.destroy()],
  ])('refuses repeats while its streamed response goes on %s', async (_, end) => {
    const request = asked();
    const again = () => requests().byClaim(request, () => Promise.resolve(answered));
    const lines = await requests().byClaim(request, () => Promise.resolve(Readable.from(['first\n', 'last\n'])));
    await expect(again()).rejects.toMatchObject({ code: 'idempotency_in_flight' });
    end(lines as Readable);
    const code = (error: unknown) => (error as DomainError).code;
    expect(
      await eventually(
        () => again().catch(code),
        (outcome) => outcome !== 'idempotency_in_flight',
      ),
    ).toEqual({ response: answered, isRepeated: false });
  });

  it('runs again if the first attempt failed or crashed', async () => {
    const [failing, crashed] = [asked(), asked()];
    await expect(requests().byClaim(failing, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await requests().byClaim(failing, () => Promise.resolve(answered))).toMatchObject({ isRepeated: false });
    await service.query(
      `insert into idempotent_responses (scope, account_id, claim_token, claimed_until, expires_at)
       values ($1, $2, gen_random_uuid(), now() - interval '1 s', now() + interval '1 day')`,
      [crashed.scope, crashed.accountId],
    );
    expect(await requests().byClaim(crashed, () => Promise.resolve(answered))).toMatchObject({ isRepeated: false });
  });

  it('runs again if the first response was too long to store', async () => {
    const [long, short] = [asked(), asked()];
    const response = (bytes: number) => ({ kind: 'answer', headers: {}, body: 'é'.repeat(bytes / 2) }) as const;
    const ask = (request: ReturnType<typeof asked>, bytes: number) =>
      requests().byClaim(request, () => Promise.resolve(response(bytes)));
    for (const isRepeated of [false, false])
      expect(await ask(long, 65_536)).toEqual({ response: response(65_536), isRepeated });
    for (const isRepeated of [false, true])
      expect(await ask(short, 65_000)).toEqual({ response: response(65_000), isRepeated });
    const { rows } = await service.query('select 1 from idempotent_responses where scope = $1', [long.scope]);
    expect(rows).toEqual([]);
  });
});
