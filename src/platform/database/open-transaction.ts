import { AsyncLocalStorage } from 'node:async_hooks';
import type { PoolClient } from 'pg';

/** The connection of a unit of work. */
interface OpenTransaction {
  /** The connection of the transaction. Is set just before the transaction begins, and stays set after it ends. */
  begun: PoolClient | null;
  /** The same connection while the transaction is open, else null. */
  open: PoolClient | null;
}

const scope = new AsyncLocalStorage<OpenTransaction>();

/**
 * Statements of `SqlClient.run` and units of work join the transaction if they run inside `inTransaction`.
 * @param begin begins a transaction (see {@link noteConnection}), and runs its work through `inTransaction`
 */
export function withOpenTransaction<Result>(
  begin: (inTransaction: <Inner>(work: () => Promise<Inner>) => Promise<Inner>) => Promise<Result>,
): Promise<Result> {
  if (openTransaction() !== null) return begin((work) => work());
  const transaction: OpenTransaction = { begun: null, open: null };
  return scope.run(transaction, () =>
    begin(async (work) => {
      transaction.open = transaction.begun;
      try {
        return await work();
      } finally {
        transaction.open = null;
      }
    }),
  );
}

/** Remembers the first connection that a unit of work takes, since its transaction begins there. */
export function noteConnection(client: PoolClient): void {
  const transaction = scope.getStore();
  if (transaction) transaction.begun ??= client;
}

export function openTransaction(): PoolClient | null {
  return scope.getStore()?.open ?? null;
}
