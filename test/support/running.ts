import { afterAll, beforeAll } from '@jest/globals';

type Stoppable = { stop(): Promise<unknown> } | { close(): Promise<unknown> };

/**
 * What the tests of a file, or of a `describe`, use while it runs: it is started before the first of them, and stopped
 * after the last one. What another one needs is begun before that.
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
