import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { CommandError, EXIT } from '../exit-codes.js';
import { type ProblemBody, toCommandFailure } from './api-client.js';

/** About one line of a file; null: about an entry that the file does not name. */
interface Row {
  readonly line: number | null;
}

/**
 * Reads the streamed answer to an import: a row for each line as it is written, at the end the summary.
 * @throws CommandError for a problem in its place, and where the answer breaks off
 */
export async function readStreamedRows<SentRow extends Row, Summary extends { readonly created: number }>(
  answer: Response,
  onRow: (row: SentRow) => void,
): Promise<Summary> {
  let lastLine: number | null = null;
  for await (const text of readLines(answer)) {
    const message = JSON.parse(text) as SentRow | Summary | (ProblemBody & { readonly status: number });
    if ('created' in message) return message;
    if (!('line' in message)) throw toCommandFailure(message, message.status);
    lastLine = message.line ?? lastLine;
    onRow(message);
  }
  const done = lastLine === null ? '' : ` after line ${lastLine}`;
  const advice = 'What was being written then may be stored or not: send the whole file again, that is safe';
  throw new CommandError(EXIT.failed, `the service ended its answer too early${done}. ${advice}`);
}

/** Ends where the connection breaks, as where the service ends the answer: the summary is missing then. */
async function* readLines(answer: Response): AsyncGenerator<string, void, void> {
  const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
  let unfinished = '';
  try {
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = (unfinished + String(chunk)).split('\n');
      unfinished = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (!isBrokenConnection(error)) throw error;
  }
}

/** What fetch throws while it reads a body. */
function isBrokenConnection(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'terminated';
}
