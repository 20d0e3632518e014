import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import { AccountAuthenticator, PlanSource } from '../auth/index.js';
import { LookupSource } from '../domains/index.js';
import { ChannelSender } from '../notifications/index.js';
import { BackgroundTask } from './background-task.js';
import { EVENT_FILTERS, EventSubscriber } from './event-subscriber.js';
import { AccountData, type Extension } from './extension.js';

/** The base class (port) that each kind of class must extend, and the method that the service calls. */
export const PORTS = {
  lookupSources: [LookupSource, 'ask'],
  channelSenders: [ChannelSender, 'send'],
  planSource: [PlanSource, 'load'],
  authenticators: [AccountAuthenticator, 'identify'],
  subscribers: [EventSubscriber, 'handle'],
  tasks: [BackgroundTask, 'run'],
  accountData: [AccountData, 'deleteBatch'],
} as const satisfies Partial<Record<keyof Extension, unknown>>;

/** Returns a sentence for each class that does not extend its base class (port), or cannot be injected. */
export function findPortProblems(extension: Extension): string[] {
  return Object.entries(PORTS).flatMap(([member, [port]]) => {
    const declared = extension[member as keyof typeof PORTS];
    const types = [declared ?? []].flat() as Type[];
    return [
      ...types
        .filter((type) => !(type.prototype instanceof port))
        .map((type) => `${type.name} in ${member} of the extension ${extension.name} does not extend ${port.name}`),
      ...types.flatMap((type) => findInjectionProblem(extension.name, type)),
    ];
  });
}

/** Finds constructor parameters for which Nest would pass `undefined`. */
export function findInjectionProblem(extension: string, type: Type): string[] {
  const isKnown = [PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA].some((key) => Reflect.hasMetadata(key, type));
  if (type.length === 0 || isKnown) return [];
  return [
    `${type.name} of the extension ${extension} has constructor parameters that Nest cannot see: ` +
      'add @Injectable(), and compile with emitDecoratorMetadata',
  ];
}

export function findInstanceProblems(extension: string, instance: object): string[] {
  return [...findMethodProblem(extension, instance), ...findMemberProblems(extension, instance)];
}

/**
 * Finds a missing method of a port (base class). Extensions may be written in JavaScript, where no compiler finds this.
 */
function findMethodProblem(extension: string, instance: object): string[] {
  const [, method] = Object.values(PORTS).find(([port]) => instance instanceof port) ?? [];
  const isThere = method === undefined || typeof Reflect.get(instance, method) === 'function';
  return isThere ? [] : [`${instance.constructor.name} of the extension ${extension} has no ${method}()`];
}

function findMemberProblems(extension: string, instance: object): string[] {
  if (instance instanceof LookupSource) return findNameProblem(extension, 'lookup source', instance.name);
  if (instance instanceof ChannelSender) return findSenderProblems(extension, instance);
  if (instance instanceof BackgroundTask) return findTaskProblems(extension, instance);
  return instance instanceof EventSubscriber ? findFilterProblems(extension, instance as EventSubscriber) : [];
}

/** Returns true if a lookup source or a channel type with this name belongs to the extension. */
export function isNameOf(extension: string, name: string): boolean {
  return name === extension || String(name).startsWith(`${extension}.`);
}

/** Checks only the name's prefix. The lookup engine and the notifications module check the rest of the name. */
function findNameProblem(extension: string, kind: string, name: string): string[] {
  if (isNameOf(extension, name)) return [];
  return [
    `the ${kind} ${JSON.stringify(name)} of the extension ${extension} is neither ${extension} nor ${extension}.<word>`,
  ];
}

/** Checks the channel type's name and its example. The API document and the dashboard's form show the example. */
function findSenderProblems(extension: string, { type, example }: ChannelSender): string[] {
  const { target, about } = Object(example) as Readonly<Record<string, unknown>>;
  const isExample = [target, about].every((text) => typeof text === 'string' && EXAMPLE_TEXT.test(text));
  if (isExample) return findNameProblem(extension, 'channel type', type);
  return [
    ...findNameProblem(extension, 'channel type', type),
    `the channel type ${JSON.stringify(type)} of the extension ${extension} needs example: { target, about }, each one line of 1 to 200 characters`,
  ];
}

const EXAMPLE_TEXT = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u;

const TASK_NAME = /^[a-z][a-z0-9-]{1,39}$/;
const TASK_ROLES: readonly string[] = ['api', 'worker', 'scheduler'];

function findTaskProblems(extension: string, task: BackgroundTask): string[] {
  const { name, intervalSeconds, limitSeconds, role, isExclusive } = task;
  if (!TASK_NAME.test(name))
    return [
      `the task ${JSON.stringify(name)} of the extension ${extension} is not 2 to 40 lower-case letters, digits and "-"`,
    ];
  const subject = `the task ${name} of the extension ${extension}`;
  const problems: string[] = [];
  if (!isTaskTime(intervalSeconds)) problems.push(`${subject} needs intervalSeconds from 1 to ${MAX_TASK_SECONDS}`);
  if (!isTaskTime(limitSeconds)) problems.push(`${subject} needs limitSeconds from 1 to ${MAX_TASK_SECONDS}`);
  if (!TASK_ROLES.includes(role))
    problems.push(`${subject} has the role ${JSON.stringify(role)}; there are ${TASK_ROLES.join(', ')}`);
  if (typeof isExclusive !== 'boolean') problems.push(`${subject} needs isExclusive, true or false`);
  return problems;
}

function isTaskTime(seconds: unknown): boolean {
  return typeof seconds === 'number' && seconds >= 1 && seconds <= MAX_TASK_SECONDS;
}

/** Finds tasks with the same name. They would share a lock, so that one task would hardly ever run. */
export function findTaskNameClashes(
  tasks: readonly { readonly extension: string; readonly instance: object }[],
): string[] {
  const names = tasks.flatMap(({ extension, instance }) =>
    instance instanceof BackgroundTask ? [`name ${instance.name} of the extension ${extension}`] : [],
  );
  const twice = names.filter((name, position) => names.indexOf(name) < position);
  return [...new Set(twice)].map((name) => `two tasks have the ${name}`);
}

/** The longest interval or time limit of a task: eleven days. Node's timers can wait for 24 days at most. */
const MAX_TASK_SECONDS = 1_000_000;

function findFilterProblems(extension: string, subscriber: EventSubscriber): string[] {
  const subject = `${subscriber.constructor.name} of the extension ${extension}`;
  const filters: unknown = subscriber.filters;
  if (!Array.isArray(filters) || filters.length === 0) return [`${subject} has no filters: it would get no event`];
  return filters
    .filter((filter) => !EVENT_FILTERS.includes(String(filter)))
    .map((filter) => `${subject} has the filter ${JSON.stringify(filter)}; there are ${EVENT_FILTERS.join(', ')}`);
}
