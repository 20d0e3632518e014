import { createRequire } from 'node:module';
import { jest } from '@jest/globals';
import pg from 'pg';

/** The driver of the service, and the ORM's, which may bring its own. */
const ormRequire = createRequire(createRequire(import.meta.url).resolve('@mikro-orm/postgresql'));
const CLIENTS = new Set<typeof pg.Client>([pg.Client, (ormRequire('pg') as typeof pg).Client]);

type Statement = string | { readonly name?: string; readonly text: string };

/**
 * Returns the statements that this process sends to PostgreSQL while `work` is done, by any connection: prepared ones by
 * their name, others by their text. Those that match `without` are left out: others may be run at any time.
 */
export async function statementsDuring(work: () => Promise<unknown>, without: RegExp): Promise<string[]> {
  const sent: string[] = [];
  const spies = [...CLIENTS].map(({ prototype }) => {
    const send = Reflect.get(prototype, 'query') as (...args: unknown[]) => void;
    return jest.spyOn(prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
      const [statement] = args as [Statement];
      sent.push(typeof statement === 'string' ? statement : (statement.name ?? statement.text));
      return Reflect.apply(send, this, args);
    });
  });
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return sent.filter((statement) => !without.test(statement));
}
