import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** `/names`, or empty: what is before `/v1` in public URLs and was removed by a proxy or a host application. */
    readonly basePath: string;
  }
}

/** `/v1/keys/1` as clients know it: `/names/v1/keys/1`. */
export function toPublicPath({ server }: FastifyRequest | FastifyReply, path: string): string {
  return server.basePath + path;
}
