import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { DomainError } from '../../kernel/domain-error.js';
import { TooManyConcurrentRequests } from '../concurrency/fair-semaphore.js';
import { getAccountId } from './request.js';
import type { RouteAccess, UploadOptions } from './route-access.js';
import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { from, lastValueFrom, type Observable } from 'rxjs';

/** How many uploads a process works on: each is in memory, and its transactions hold locks. */
const MAX_PROCESSING = 3;
/** How many uploads a process receives. They cost memory only, and slow ones time out. */
const MAX_RECEIVING = 30;
const RETRY_AFTER_SECONDS = 1;

/** The place of one upload, from when its body is complete until the work is done, even if the client disconnects. */
class UploadSlot {
  private isRunning = false;

  constructor(private readonly release: () => void) {}

  /** A streamed response keeps the slot until the stream closes. */
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
    super('overloaded', 'Too many uploads are in progress.', {
      retry_after_seconds: RETRY_AFTER_SECONDS,
    });
  }
}

const slots = new WeakMap<FastifyRequest['raw'], UploadSlot>();

export function getUploadSlot({ raw }: FastifyRequest): UploadSlot | undefined {
  return slots.get(raw);
}

/**
 * Limits uploads: one per account, and three in total that are processed. While all three places are taken, others are
 * rejected before their body is read. A slow sender takes none of the three. `preParsing` comes after authentication,
 * which sets the account.
 */
export function limitUploads(fastify: FastifyInstance): void {
  const accounts = new Set<string>();
  let processing = 0;
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (!acceptsUpload(request)) return done(null, payload);
    const account = getAccountId(request);
    if (account === undefined) return done(new Error('a route without authentication accepts uploads'));
    const receiving = accounts.size - processing;
    if (accounts.has(account)) return done(new TooManyConcurrentRequests('An upload of this account is in progress.'));
    if (processing >= MAX_PROCESSING || receiving >= MAX_RECEIVING) return done(new TooManyUploads());
    accounts.add(account);
    reply.raw.once('close', () => {
      if (!slots.has(request.raw)) accounts.delete(account);
    });
    done(null, payload);
  });
  fastify.addHook('preValidation', (request, reply, done) => {
    const account = getAccountId(request);
    if (!acceptsUpload(request) || account === undefined || reply.raw.closed) return done();
    if (processing >= MAX_PROCESSING) return done(new TooManyUploads()); // many bodies may have arrived together
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

class UploadSlotInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const slot = getUploadSlot(context.switchToHttp().getRequest<FastifyRequest>());
    if (!slot) throw new Error('an upload has no slot');
    return from(slot.run<unknown>(() => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}

/** Accepts an upload of these media types instead of JSON. Adds to the route configuration of decorators below. */
export function AcceptsUpload(upload: UploadOptions): MethodDecorator {
  return (target, property, descriptor) => {
    const access = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as RouteAccess;
    RouteConfig({ ...access, upload } satisfies RouteAccess)(target, property, descriptor);
    UseInterceptors(UploadSlotInterceptor)(target, property, descriptor);
  };
}
