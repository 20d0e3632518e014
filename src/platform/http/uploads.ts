import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { DomainError } from '../../kernel/domain-error.js';
import { Overloaded, Places } from '../concurrency/places.js';
import { getAccountId, isClosed } from './request.js';
import type { RouteAccess, UploadOptions } from './route-access.js';

/** Limits the uploads that a process handles at a time. Each upload is in memory, and its transactions hold locks. */
const MAX_PROCESSING = 3;
/**
 * Limits the uploads being received or handled. The limit exceeds `MAX_PROCESSING`, because a slow sender costs only
 * memory.
 */
const MAX_UNDER_WAY = 33;
/** The response to an upload can have 11 `close` listeners if it is a stream. Node warns of a memory leak above ten. */
const MAX_CLOSE_LISTENERS = 20;

/** An upload takes a place in `processing` after its body has arrived, so slow senders do not fill `processing`. */
export function limitUploads(fastify: FastifyInstance): void {
  const underWay = new Places(MAX_UNDER_WAY, 1, 'uploads in progress');
  const processing = new Places(MAX_PROCESSING, 1, 'uploads in progress');
  /** For each upload that is still being received, the function that gives back its place in `underWay`. */
  const leave = new WeakMap<FastifyRequest, () => void>();
  const streams = new WeakMap<FastifyRequest, Readable>();
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (!acceptsUpload(request.routeOptions.config as RouteAccess)) return done(null, payload);
    const account = getAccountId(request);
    if (account === undefined) return done(new Error('a route without authentication accepts uploads'));
    const place = underWay.take(account);
    if (place instanceof DomainError) return done(place);
    leave.set(request, place);
    reply.raw.setMaxListeners(MAX_CLOSE_LISTENERS);
    reply.raw.once('close', () => leave.get(request)?.());
    if (processing.isFull) return done(new Overloaded('Too many uploads are in progress.'));
    done(null, payload);
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (payload instanceof Readable) streams.set(request, payload);
    done();
  });
  fastify.addHook('onRoute', (route) => {
    if (!acceptsUpload(route.config)) return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      const slot = processing.take(getAccountId(request));
      // Rejects this upload if other uploads have taken the last places in `processing` while its body arrived.
      if (slot instanceof DomainError) throw slot;
      const place = leave.get(request);
      leave.delete(request);
      const end = () => [slot, place].forEach((held) => held?.());
      const endWithStream = () => {
        const stream = streams.get(request);
        if (!stream || stream.closed) end();
        else stream.once('close', end);
      };
      try {
        return await handler.call(this, request, reply);
      } finally {
        // The upload counts until its response stream is closed, even if the client has disconnected.
        if (isClosed(reply)) endWithStream();
        else reply.raw.once('close', endWithStream);
      }
    };
  });
}

function acceptsUpload(config: RouteAccess | undefined): boolean {
  return config?.upload !== undefined;
}

/**
 * Accepts an upload instead of JSON. Write this decorator above the access decorators, because it reads the rules that
 * they set.
 */
export function AcceptsUpload(upload: UploadOptions): MethodDecorator {
  return (target, property, descriptor) => {
    const access = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as RouteAccess;
    RouteConfig({ ...access, upload } satisfies RouteAccess)(target, property, descriptor);
  };
}
