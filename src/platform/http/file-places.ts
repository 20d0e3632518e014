import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error.js';
import type { RouteAccess } from './public.js';

/** Of one process; each is held whole, and is written in transactions that hold locks. */
const FILES_AT_A_TIME = 3;
const SOON = 1;

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/** The turn of one file, from before its body is read until the work on it has ended, whoever hangs up meanwhile. */
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
 * Takes one file of an account at a time, and three in all, and refuses others before it reads any of them. It knows the
 * account from the hook that asks for a key, which runs before.
 */
export function limitFiles(fastify: FastifyInstance): void {
  const underWay = new Set<string>();
  fastify.addHook('onRequest', (request: Sender, reply, done) => {
    if ((request.routeOptions.config as RouteAccess).file === undefined) return done();
    const account = request.caller?.account.id;
    if (account === undefined) return done(new Error('a route without authentication takes files'));
    if (underWay.size >= FILES_AT_A_TIME || underWay.has(account)) return done(new TooManyFiles());
    underWay.add(account);
    const place = new FilePlace(() => void underWay.delete(account));
    places.set(request.raw, place);
    reply.raw.once('close', () => place.closed());
    done();
  });
}
