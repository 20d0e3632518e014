import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { DomainError } from '../../../kernel/domain-error.js';
import type { RouteAccess } from '../route-access.js';

/** Of one process; each is held whole, and is written in transactions that hold locks. */
const FILES_AT_A_TIME = 3;
/** Whose bodies are being read: that keeps memory, and nobody else from sending. Slow ones are cut off in time. */
const UPLOADS_AT_A_TIME = 30;
const SOON = 1;

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/** The turn of one file, from when its body is there until the work on it has ended, whoever hangs up meanwhile. */
class FilePlace {
  private isAtWork = false;

  constructor(private readonly leave: () => void) {}

  /** A reply that is told line by line keeps its place until it is told, or nobody listens any more. */
  async during<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    this.isAtWork = true;
    let reply: Reply | undefined;
    try {
      return (reply = await work());
    } finally {
      if (reply instanceof Readable && !reply.closed) reply.once('close', this.leave);
      else this.leave();
    }
  }

  closed(): void {
    if (!this.isAtWork) this.leave();
  }
}

class TooManyFiles extends DomainError {
  constructor() {
    super('overloaded', 'As many files are under way as are taken at a time.', { retry_after_seconds: SOON });
  }
}

const places = new WeakMap<FastifyRequest['raw'], FilePlace>();

export function placeOf({ raw }: FastifyRequest): FilePlace | undefined {
  return places.get(raw);
}

/**
 * Works on one file of an account at a time, and three in all. While they are worked on, others are refused before they
 * are read; who sends slowly holds no place of the three. It knows the account from the hook that asks for a key, which
 * runs before.
 */
export function limitFiles(fastify: FastifyInstance): void {
  const accounts = new Set<string>();
  let atWork = 0;
  fastify.addHook('onRequest', (request: Sender, reply, done) => {
    if (!takesFile(request)) return done();
    const account = request.caller?.account.id;
    if (account === undefined) return done(new Error('a route without authentication takes files'));
    const uploads = accounts.size - atWork;
    if (accounts.has(account) || atWork >= FILES_AT_A_TIME || uploads >= UPLOADS_AT_A_TIME)
      return done(new TooManyFiles());
    accounts.add(account);
    reply.raw.once('close', () => {
      if (!places.has(request.raw)) accounts.delete(account);
    });
    done();
  });
  fastify.addHook('preValidation', (request: Sender, reply, done) => {
    const account = request.caller?.account.id;
    if (!takesFile(request) || account === undefined || reply.raw.closed) return done();
    if (atWork >= FILES_AT_A_TIME) return done(new TooManyFiles()); // many may have been sent at a time
    atWork += 1;
    let isLeft = false;
    const place = new FilePlace(() => {
      if (!isLeft) atWork -= 1;
      if (!isLeft) accounts.delete(account);
      isLeft = true;
    });
    places.set(request.raw, place);
    reply.raw.once('close', () => place.closed());
    done();
  });
}

function takesFile({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as RouteAccess).file !== undefined;
}
