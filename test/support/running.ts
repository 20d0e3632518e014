import { afterAll, beforeAll } from '@jest/globals';

type Stoppable = { stop(): Promise<unknown> } | { close(): Promise<unknown> };

/**
 * A part that the tests of a file, or of a `describe`, use while it runs: it starts before the first test, and stops
 * after the last. If one part needs another, begin the other first.
 */
export function running<Part extends Stoppable>(start: () => Promise<Part>): Part {
  let part: Part | undefined;
  beforeAll(async () => {
    part = await start();
  });
  afterAll(() => part && ('stop' in part ? part.stop() : part.close()));
  const started = (): Part => {
    if (!part) throw new Error('it is not started before the tests begin');
    return part;
  };
  return new Proxy({} as Part, {
    get(_, name) {
      const member: unknown = Reflect.get(started(), name);
      return typeof member === 'function' ? (member.bind(started()) as unknown) : member;
    },
    set: (_, name, value) => Reflect.set(started(), name, value),
  });
}
