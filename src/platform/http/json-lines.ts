import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestProblem } from './errors/problem.filter.js';
import { NDJSON } from './request.js';

const log = new Logger('JsonLines');

/** An error becomes the last line, because the status code has already been sent. */
export function sendJsonLines(values: AsyncIterable<object>, request: FastifyRequest, reply: FastifyReply): Readable {
  void reply.header('content-type', NDJSON);
  return Readable.from(toLines(values, request), { objectMode: false });
}

async function* toLines(values: AsyncIterable<object>, request: FastifyRequest): AsyncGenerator<string, void, void> {
  try {
    for await (const value of values) yield `${JSON.stringify(value)}\n`;
  } catch (error) {
    const { body, unexpected } = requestProblem(error, request);
    if (unexpected) log.error({ err: error, requestId: request.id }, 'a stream of lines broke off');
    yield `${JSON.stringify(body)}\n`;
  }
}

/**
 * Yields `first` and then `rest`. The caller awaits `first` before the response starts, so that an early error can
 * still set the status code.
 */
export async function* resume<Value>(
  first: IteratorResult<Value, void>,
  rest: AsyncGenerator<Value, void, void>,
): AsyncGenerator<Value, void, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
