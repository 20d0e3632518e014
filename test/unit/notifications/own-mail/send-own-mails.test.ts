import { expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TimeUnits } from '../../../../src/kernel/time-units.js';
import { SendOwnMails } from '../../../../src/notifications/own-mail/send-own-mails.js';

Logger.overrideLogger(false);

type Dependencies = ConstructorParameters<typeof SendOwnMails>;

it('sending confirmation and invitation mails continues after one fails, and a stop signal lets only mails in progress finish', async () => {
  const held = Promise.withResolvers<null>();
  const stopping = new AbortController();
  const seen = { claimed: 0, begun: 0, isOver: false };
  const outbox = {
    claimDue: async (_kinds: unknown, _now: Date, limit: number) => {
      seen.claimed += 1;
      return Array.from({ length: limit }, (_, n) => ({ id: `${n}`, token: '' }));
    },
  } as Partial<Dependencies[0]> as Dependencies[0];
  const work = {
    run: () => {
      seen.begun += 1;
      return seen.begun === 1 ? Promise.reject(new Error('the database is away')) : held.promise;
    },
  } as Dependencies[3];
  const mailer = { isConfigured: true } as Dependencies[2];
  const settings = [{ sending: true }, { publicUrl: null }] as never as [Dependencies[6], Dependencies[8]];
  const [contents, clock] = [{}, { now: () => new Date(0) }] as [Dependencies[1], Dependencies[4]];
  const [delivery, mail] = settings;
  const watch = { isLost: true };
  const dataKey = watch as Dependencies[7];
  const mails = new SendOwnMails(outbox, contents, mailer, work, clock, TimeUnits.REAL, delivery, dataKey, mail);
  await mails.run(stopping.signal);
  expect(seen.claimed).toBe(0);
  watch.isLost = false;
  const run = mails.run(stopping.signal).finally(() => (seen.isOver = true));
  while (seen.begun < 6) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(seen.isOver).toBe(false);
  stopping.abort();
  held.resolve(null);
  await run;
  expect(seen).toEqual({ claimed: 2, begun: 6, isOver: true });
});
