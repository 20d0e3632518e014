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
import { requestProblem } from '../http/errors/problem.filter.js';
import { ReplayedProblem } from '../http/errors/problem.js';
import { type IdempotentRequest, isFinal, type StoredResponse } from './idempotency-store.js';
import { type Outcome, IdempotencyService } from './idempotency.service.js';
import { createHash } from 'node:crypto';
import { getAccountId } from '../http/request.js';
import { InvalidRequest } from '../http/errors/invalid-request.js';

type Handler = () => Promise<unknown>;

/** Sends the stored response again if the Idempotency-Key was used before. */
@Injectable()
abstract class IdempotencyInterceptor implements NestInterceptor {
  constructor(protected readonly idempotency: IdempotencyService) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    if (request.body instanceof UnreadableBody) return next.handle(); // the validation pipe refuses such a body
    if (isDryRun(request)) return next.handle();
    const idempotent = parseIdempotentRequest(request);
    if (!idempotent) return next.handle();
    // `respond` may open a transaction before it calls `handle`, so the handler must not start here.
    const handle = () => lastValueFrom(next.handle(), { defaultValue: undefined });
    return from(this.respond(idempotent, http.getResponse<FastifyReply>(), handle));
  }

  protected abstract respond(idempotent: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown>;
}

class TransactionalInterceptor extends IdempotencyInterceptor {
  protected async respond(idempotent: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown> {
    const outcome = await this.idempotency.transactional(idempotent, () => captureResponse(handle, reply));
    return replay(outcome, reply);
  }
}

/** A dry run changes nothing, so its response is not stored. */
const isDryRun = ({ query }: FastifyRequest) => (query as { readonly dry_run?: unknown }).dry_run === 'true';

class ClaimInterceptor extends IdempotencyInterceptor {
  protected async respond(idempotent: IdempotentRequest, reply: FastifyReply, handle: Handler): Promise<unknown> {
    const outcome = await this.idempotency.byClaim(idempotent, async () => {
      const response = await captureResponse(handle, reply);
      return response.kind === 'answer' && response.body instanceof Readable ? response.body : response;
    });
    return outcome instanceof Readable ? outcome : replay(outcome, reply);
  }
}

/** Captures the response, or a refusal that a repeated request would get again. @throws all other errors */
async function captureResponse(handle: Handler, reply: FastifyReply): Promise<StoredResponse> {
  const headersBefore = new Set(Object.keys(reply.getHeaders()));
  try {
    const body = await handle();
    const added = Object.entries(reply.getHeaders()).filter(([name]) => !headersBefore.has(name));
    return { kind: 'answer', headers: Object.fromEntries(added.map(([name, value]) => [name, String(value)])), body };
  } catch (error) {
    const problem = requestProblem(error, reply.request);
    if (!isFinal(problem)) throw error;
    return { kind: 'refusal', problem };
  }
}

function replay({ response, isRepeated }: Outcome, reply: FastifyReply): unknown {
  if (isRepeated) void reply.header('idempotency-replayed', 'true');
  if (response.kind === 'refusal') throw new ReplayedProblem(response.problem);
  void reply.headers(response.headers);
  return response.body;
}

export const KEY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  description:
    'A unique text chosen by the client. The same request with the same key within a day is not executed again: it ' +
    'gets the stored response, with `Idempotency-Replayed: true`.',
} as const;

/** Makes a route idempotent by Idempotency-Key. One transaction stores the response and what the request changes. */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(UseInterceptors(TransactionalInterceptor), ApiHeader(KEY_HEADER));

/** Makes a long route, or a route with several transactions, idempotent. Stores its response after the work. */
export const IdempotentByClaim = (): MethodDecorator =>
  applyDecorators(UseInterceptors(ClaimInterceptor), ApiHeader(KEY_HEADER));

/** The format of a key: printable ASCII. Node has already trimmed the header. */
const KEY_FORMAT = /^[ -~]{1,255}$/;
const MALFORMED = 'Idempotency-Key must be 1 to 255 printable ASCII characters';

/** @returns null without an Idempotency-Key @throws InvalidRequest if the key is malformed */
function parseIdempotentRequest(request: FastifyRequest): IdempotentRequest | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY_FORMAT.test(key))
    throw InvalidRequest.of([{ pointer: '#header/Idempotency-Key', code: 'malformed', message: MALFORMED }]);
  const accountId = getAccountId(request);
  if (accountId === undefined) throw new Error('a route without authentication uses Idempotency-Key');
  const [path = '', query = ''] = request.url.split('?', 2);
  const scope = digest(accountId, request.method, path.replace(/\/+$/, ''), key);
  return { scope, accountId, fingerprint: digest(query, ...bodyParts(request)) };
}

/** Returns what identifies a body: an upload's bytes and media type, or the content of JSON. */
function bodyParts({ body, headers }: FastifyRequest): readonly (string | Buffer)[] {
  return Buffer.isBuffer(body) ? [headers['content-type'] ?? '', body] : [JSON.stringify(body ?? null)];
}

/** Hashes the parts. The length before each part keeps the lists `ab`, `c` and `a`, `bc` apart. */
function digest(...parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}
