import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { loadExtensions } from '../../../src/extensions/load-extensions.js';
import { findInstanceProblems, findTaskNameClashes } from '../../../src/extensions/port-problems.js';
import {
  AccountAuthenticator,
  AccountData,
  BackgroundTask,
  ChannelSender,
  defineExtension,
  EventSubscriber,
  type Extension,
  type InvalidConfigurationError,
  LookupSource,
  PlanSource,
} from '../../../src/kit.js';

class Nothing {}

async function problemsOf(declared: Partial<Extension>): Promise<readonly string[]> {
  const extension = defineExtension({ name: 'acme', compatibility: '*', ...declared });
  return loadExtensions({ extensions: [], environment: {} }, [extension]).then(
    () => [],
    (error: InvalidConfigurationError) => error.problems,
  );
}

describe('a class in an extension’s declaration', () => {
  it.each([
    ['lookupSources', LookupSource],
    ['channelSenders', ChannelSender],
    ['authenticators', AccountAuthenticator],
    ['subscribers', EventSubscriber],
    ['tasks', BackgroundTask],
    ['accountData', AccountData],
  ])('must extend the matching base class if it is listed in %s', async (member, port) => {
    class Right extends (port as Type<object>) {}
    expect(await problemsOf({ [member]: [Right] })).toEqual([]);
    expect(await problemsOf({ [member]: [Nothing] })).toEqual([
      `Nothing in ${member} of the extension acme does not extend ${port.name}`,
    ]);
  });

  it('must extend PlanSource if it is the plan source', async () => {
    class Plans extends PlanSource {
      load = () => Promise.resolve({});
    }
    expect(await problemsOf({ planSource: Plans })).toEqual([]);
    expect(await problemsOf({ planSource: Nothing as Type<PlanSource> })).toEqual([
      'Nothing in planSource of the extension acme does not extend PlanSource',
    ]);
  });
});

const answer = () => Promise.resolve();
const METHODS = {
  ask: answer,
  send: answer,
  load: answer,
  identify: answer,
  handle: answer,
  run: answer,
  deleteBatch: answer,
};
const made = <Port extends object>(port: { readonly prototype: Port }, members: object): Port =>
  Object.assign(Object.create(port.prototype) as Port, METHODS, members);
const example = { target: 'https://pager.example.test/', about: 'Pages' };
const task = {
  name: 'work',
  intervalSeconds: 5,
  limitSeconds: 60,
  role: 'worker',
  isExclusive: true,
};

describe('an instance of an extension’s class', () => {
  it.each([
    ['a source', made(LookupSource, { name: 'acme' }), []],
    ['one of two sources', made(LookupSource, { name: 'acme.whois' }), []],
    [
      'a source of another name',
      made(LookupSource, { name: 'whois2' }),
      ['the lookup source "whois2" of the extension acme is neither acme nor acme.<word>'],
    ],
    [
      'a channel type of another name',
      made(ChannelSender, { type: 'acmepager', example }),
      ['the channel type "acmepager" of the extension acme is neither acme nor acme.<word>'],
    ],
    ['a channel type', made(ChannelSender, { type: 'acme.pager', example }), []],
    ...[
      undefined,
      null,
      { target: 'https://pager.example.test/' },
      { ...example, about: '' },
      { ...example, about: 'a\nb' },
    ].map(
      (wrong) =>
        [
          `a channel type with the example ${JSON.stringify(wrong)}`,
          made(ChannelSender, { type: 'acme', example: wrong }),
          [
            'the channel type "acme" of the extension acme needs example: { target, about }, each one line of 1 to 200 characters',
          ],
        ] as const,
    ),
    ['filters', made(EventSubscriber, { filters: ['watchlist.*', 'entry.removed'] }), []],
    [
      'no filters',
      made(EventSubscriber, { filters: [] }),
      ['EventSubscriber of the extension acme has no filters: it would get no event'],
    ],
    ['a task', made(BackgroundTask, task), []],
    [
      'a task of a bad name',
      made(BackgroundTask, { ...task, name: 'Work!' }),
      ['the task "Work!" of the extension acme is not 2 to 40 lower-case letters, digits and "-"'],
    ],
    [
      'a task with impossible members',
      made(BackgroundTask, { name: 'work', intervalSeconds: '5', limitSeconds: NaN, role: 'all', isExclusive: 'no' }),
      [
        'the task work of the extension acme needs intervalSeconds from 1 to 1000000',
        'the task work of the extension acme needs limitSeconds from 1 to 1000000',
        'the task work of the extension acme has the role "all"; there are api, worker, scheduler',
        'the task work of the extension acme needs isExclusive, true or false',
      ],
    ],
  ] as const)('is accepted or refused at startup: %s', (_, instance, problems) => {
    const found = findInstanceProblems('acme', instance);
    expect(found).toEqual(problems);
  });

  it('is refused if another task of the same extension has the same name', () => {
    const [one, other] = [made(BackgroundTask, task), made(BackgroundTask, task)];
    const problemsOfBoth = (...extensions: string[]) =>
      findTaskNameClashes([one, other].map((instance, at) => ({ extension: extensions[at] ?? '', instance })));
    expect(problemsOfBoth('acme', 'acme')).toEqual(['two tasks have the name work of the extension acme']);
    expect(problemsOfBoth('acme', 'ledger')).toEqual([]);
  });

  it.each([
    [LookupSource, 'ask', { name: 'acme' }],
    [ChannelSender, 'send', { type: 'acme', example }],
    [PlanSource, 'load', {}],
    [AccountAuthenticator, 'identify', {}],
    [EventSubscriber, 'handle', { filters: ['entry.removed'] }],
    [BackgroundTask, 'run', task],
    [AccountData, 'deleteBatch', {}],
  ])('is refused if a method is missing: %p without %s()', (port, method, members) => {
    const instance = made<object>(port, { ...members, [method]: undefined });
    expect(findInstanceProblems('acme', instance)).toEqual([`${port.name} of the extension acme has no ${method}()`]);
  });

  it('is refused if its event filter is unknown; the message lists the known filters', () => {
    const [problem] = findInstanceProblems('acme', made(EventSubscriber, { filters: ['watchlist.dropped'] }));
    expect(problem).toMatch(/has the filter "watchlist\.dropped"; there are watchlist\.available, .*, watchlist\.\*$/);
  });
});
