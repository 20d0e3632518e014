import { afterEach, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import outbox from '../../../examples/outbox/src/outbox.js';
import { MessageBus } from '../../../examples/outbox/src/message-bus.js';
import { type OutboxMessage, OutboxMessages } from '../../../examples/outbox/src/outbox-messages.js';
import { SendOutbox } from '../../../examples/outbox/src/send-outbox.js';
import { FakeBus } from '../../../examples/outbox/test/fake-bus.js';
import { newId } from '../../../src/kernel/identifier.js';
import { backgroundTaskContract, startForTests } from '../../../src/testing.js';
import { freshDatabase } from '../../support/database/database.js';
import { running } from '../../support/running.js';

const bus = running(() => FakeBus.start());
const namewatch = running(async () => {
  const settings = { DATABASE_URL: await freshDatabase(), OUTBOX_URL: bus.url };
  return startForTests({ extensions: [outbox], settings });
});

const task = () => namewatch.get(SendOutbox);
const messages = () => namewatch.get(OutboxMessages);
const send = (message: OutboxMessage, signal: AbortSignal) => namewatch.get(MessageBus).send(message, signal);
/** Everything that waits, due or not. */
const findAll = async () => (await messages().findDue(new Date('9999-01-01'), 100)).values();

afterEach(async () => {
  Reflect.deleteProperty(task(), 'run');
  Object.assign(task(), { isExclusive: true });
  await namewatch.get(EntityManager).fork().execute('delete from outbox_messages');
});

describe('the contract test of background tasks', () => {
  const cases = backgroundTaskContract({
    task: SendOutbox,
    namewatch: () => namewatch,
    addWork: async () => {
      const { accountId, clock } = namewatch;
      const events = Array.from({ length: 3 }, () => ({
        id: newId('evt'),
        accountId,
        occurredAt: clock.now(),
        type: 'entry.removed' as const,
        payload: { entry_id: newId('wl') },
      }));
      await messages().add(events);
      return events.map(({ id }) => id);
    },
    readDone: () => bus.takenIds,
    failAfterFirst: () => {
      const end = bus.failAfterFirst();
      return () => {
        end();
        namewatch.clock.advance({ hours: 1 });
      };
    },
    hang: () => bus.hang(),
  });

  it.each(cases)('passes for the outbox extension, which $name', ({ run }) => run());

  const DOES_WORK = 'does all work that there is, once';
  const IS_REPEATABLE = 'does nothing again in the next run';
  const OBEYS_SIGNAL = 'ends within a second of its signal, and the next run does the rest';
  const COMPLETES = 'leaves what failed to a later run, and does nothing again';
  const OVERLAP = 'does each piece of work when two runs overlap, and only once unless it is exclusive';

  const BUGS: [string, string, (signal: AbortSignal) => Promise<void>][] = [
    ['does nothing', DOES_WORK, () => Promise.resolve()],
    [
      'does only the first piece of work in a run',
      DOES_WORK,
      async (signal) => {
        const [first] = await findAll();
        if (!first) return;
        await send(first, signal);
        await messages().remove(first.eventId);
      },
    ],
    [
      'does not record its finished work',
      IS_REPEATABLE,
      async (signal) => {
        for (const message of await findAll()) await send(message, signal);
      },
    ],
    [
      'fails when there is nothing to do',
      IS_REPEATABLE,
      async (signal) => {
        if ((await findAll()).next().done) throw new Error('the outbox is empty');
        await SendOutbox.prototype.run.call(task(), signal);
      },
    ],
    [
      'ignores the signal to stop',
      OBEYS_SIGNAL,
      () => SendOutbox.prototype.run.call(task(), new AbortController().signal),
    ],
    [
      'records work as finished before doing it',
      OBEYS_SIGNAL,
      async (signal) => {
        const all = [...(await findAll())];
        for (const { eventId } of all) await messages().remove(eventId);
        for (const message of all) await send(message, signal);
      },
    ],
    [
      'records work as finished only if all work succeeded',
      COMPLETES,
      async (signal) => {
        const all = [...(await findAll())];
        for (const message of all) await send(message, signal);
        for (const { eventId } of all) await messages().remove(eventId);
      },
    ],
    [
      'gives up what failed',
      COMPLETES,
      async (signal) => {
        for (const message of await findAll()) {
          await send(message, signal).catch(() => signal.throwIfAborted());
          await messages().remove(message.eventId);
        }
      },
    ],
    [
      'does the same in each process, although it is not exclusive',
      OVERLAP,
      (signal) => SendOutbox.prototype.run.call(task(), signal),
    ],
  ];

  it.each(BUGS)('fails for a task that %s', async (_, culprit, run) => {
    Object.assign(task(), { run, isExclusive: culprit !== OVERLAP });
    const broken: string[] = [];
    for (const each of cases) await each.run().catch(() => broken.push(each.name));
    expect(broken).toContain(culprit);
  });

  it('passes for a task that runs in every process and claims each piece of work first', async () => {
    const claimed = new Set<string>();
    const run = async (signal: AbortSignal) => {
      for (const message of await findAll()) {
        if (claimed.has(message.eventId)) continue;
        claimed.add(message.eventId);
        await send(message, signal);
        await messages().remove(message.eventId);
      }
    };
    Object.assign(task(), { run, isExclusive: false });
    await cases.find(({ name }) => name === OVERLAP)?.run();
  });

  it('fails for a task that no extension declares', async () => {
    class Forgotten extends SendOutbox {}
    const [first] = backgroundTaskContract({
      task: Forgotten,
      namewatch: () => namewatch,
      addWork: () => Promise.resolve(['one', 'two']),
      readDone: () => [],
      failAfterFirst: () => () => undefined,
    });
    await expect(first?.run()).rejects.toThrow('no extension has the task Forgotten');
  });
});
