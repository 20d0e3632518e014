import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { UnreadableBody } from '../http/validation/json-body.js';
import { problemOf } from '../http/errors/problem.filter.js';
import { ToldRefusal } from '../http/errors/problem.js';
import { type IdempotentRequest, idempotentRequest } from './idempotent-request.js';
import { isFinal, type KeptReply } from './stored-response.js';
import { type Outcome, RepeatedRequests } from './idempotency.service.js';

type Handler = () => Promise<unknown>;

/** Answers a request with an Idempotency-Key as it was answered before, if it was. */
abstract class KeepsReplies implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.body instanceof UnreadableBody) return next.handle(); // which is where it is refused
    const asked = idempotentRequest(request);
    if (!asked) return next.handle();
    // Not before the transaction is there: it belongs to whoever calls from within it.
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.answer(asked, http.getResponse<FastifyReply>(), handle));
  }

  protected abstract answer(asked: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown>;
}

@Injectable()
class Together extends KeepsReplies {
  constructor(private readonly requests: RepeatedRequests) {
    super();
  }

  protected async answer(asked: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown> {
    const outcome = await this.requests.together(asked, () => replyOf(handle, reply));
    return told(outcome, reply);
  }
}

@Injectable()
class Apart extends KeepsReplies {
  constructor(private readonly requests: RepeatedRequests) {
    super();
  }

  protected async answer(asked: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown> {
    const outcome = await this.requests.apart(asked, async () => {
      const kept = await replyOf(handle, reply);
      return kept.kind === 'answer' && kept.body instanceof Readable ? kept.body : kept;
    });
    return outcome instanceof Readable ? outcome : told(outcome, reply);
  }
}

/** @throws what is no final refusal */
async function replyOf(handle: Handler, reply: FastifyReply): Promise<KeptReply> {
  const usual = new Set(Object.keys(reply.getHeaders()));
  try {
    const body = await handle();
    const own = Object.entries(reply.getHeaders()).filter(([name]) => !usual.has(name));
    return { kind: 'answer', headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])), body };
  } catch (error) {
    const problem = problemOf(error, reply.request);
    if (!isFinal(problem)) throw error;
    return { kind: 'refusal', problem };
  }
}

function told({ reply: kept, isRepeated }: Outcome, reply: FastifyReply): unknown {
  if (isRepeated) void reply.header('idempotency-replayed', 'true');
  if (kept.kind === 'refusal') throw new ToldRefusal(kept.problem);
  void reply.headers(kept.headers);
  return kept.body;
}

const KEY = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  description:
    'Any text of yours for this request. Sent again within a day, the request is not done again: it gets the answer ' +
    'that it got, with `Idempotency-Replayed: true`.',
} as const;

/** A request that is sent again with its Idempotency-Key does nothing again. Its reply is kept with what it does. */
export const Idempotent = (): MethodDecorator => applyDecorators(UseInterceptors(Together), ApiHeader(KEY));

/** The same for what takes its time, or several transactions, and may be done twice: its reply is kept when it is done. */
export const IdempotentApart = (): MethodDecorator => applyDecorators(UseInterceptors(Apart), ApiHeader(KEY));
