import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { DomainError } from '../../../kernel/domain-error.js';
import type { RouteAccess } from '../route-access.js';

/** Of one process; each is held whole, and is written in transactions that hold locks. */
const MAX_PROCESSING = 3;
/** Whose bodies are being read: that keeps memory, and nobody else from sending. Slow ones are cut off in time. */
const MAX_RECEIVING = 30;
const RETRY_AFTER_SECONDS = 1;

type Sender = FastifyRequest & { readonly caller?: { readonly account: { readonly id: string } } | null };

/** The turn of one file, from when its body is there until the work on it has ended, whoever hangs up meanwhile. */
class UploadSlot {
  private isRunning = false;

  constructor(private readonly release: () => void) {}

  /** A reply that is told line by line keeps its place until it is told, or nobody listens any more. */
  async run<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    this.isRunning = true;
    let reply: Reply | undefined;
    try {
      return (reply = await work());
    } finally {
      if (reply instanceof Readable && !reply.closed) reply.once('close', this.release);
      else this.release();
    }
  }

  releaseUnlessRunning(): void {
    if (!this.isRunning) this.release();
  }
}

class TooManyUploads extends DomainError {
  constructor() {
    super('overloaded', 'As many files are under way as are taken at a time.', {
      retry_after_seconds: RETRY_AFTER_SECONDS,
    });
  }
}

const slots = new WeakMap<FastifyRequest['raw'], UploadSlot>();

export function getUploadSlot({ raw }: FastifyRequest): UploadSlot | undefined {
  return slots.get(raw);
}

/**
 * Works on one file of an account at a time, and three in all. While they are worked on, others are refused before they
 * are read; who sends slowly holds no place of the three. It knows the account from the hook that asks for a key, which
 * runs before.
 */
export function limitUploads(fastify: FastifyInstance): void {
  const accounts = new Set<string>();
  let processing = 0;
  fastify.addHook('onRequest', (request: Sender, reply, done) => {
    if (!acceptsUpload(request)) return done();
    const account = request.caller?.account.id;
    if (account === undefined) return done(new Error('a route without authentication takes files'));
    const receiving = accounts.size - processing;
    if (accounts.has(account) || processing >= MAX_PROCESSING || receiving >= MAX_RECEIVING)
      return done(new TooManyUploads());
    accounts.add(account);
    reply.raw.once('close', () => {
      if (!slots.has(request.raw)) accounts.delete(account);
    });
    done();
  });
  fastify.addHook('preValidation', (request: Sender, reply, done) => {
    const account = request.caller?.account.id;
    if (!acceptsUpload(request) || account === undefined || reply.raw.closed) return done();
    if (processing >= MAX_PROCESSING) return done(new TooManyUploads()); // many may have been sent at a time
    processing += 1;
    let isReleased = false;
    const slot = new UploadSlot(() => {
      if (!isReleased) processing -= 1;
      if (!isReleased) accounts.delete(account);
      isReleased = true;
    });
    slots.set(request.raw, slot);
    reply.raw.once('close', () => slot.releaseUnlessRunning());
    done();
  });
}

function acceptsUpload({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as RouteAccess).upload !== undefined;
}
