import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';

/** A script in a process of its own that answers each order with one message. */
export interface CommandChild<Order, Answer> {
  /** @throws when the process ends before it answers */
  run(order: Order): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * Forks a TypeScript file that sends one message when it is ready, and ends when it is disconnected.
 * @throws when the process ends before it is ready: what it wrote to its standard error says why
 */
export async function startCommandChild<Order extends object, Answer>(
  script: string,
  env: Readonly<Record<string, string>>,
): Promise<CommandChild<Order, Answer>> {
  const child = fork(script, {
    execArgv: ['--import', './tools/scripts/typescript.mjs'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const failure = exit.then(([code, signal]): never => {
    throw new Error(`${basename(script)} ended with ${code ?? signal} before it answered, see above`);
  });
  failure.catch(() => undefined); // an end that no answer is awaited at is the one of close()
  const answer = async () => {
    const [message] = (await Promise.race([once(child, 'message'), failure])) as [Answer];
    return message;
  };
  await answer();
  return {
    run: (order) => {
      child.send(order);
      return answer();
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
