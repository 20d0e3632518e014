import type { FastifyReply } from 'fastify';
import { toPublicPath } from '../../platform/http/request.js';

/** Returns the full URL of a path, or the path alone while no public URL is configured. */
export function toAddressUrl(
  { publicUrl }: { readonly publicUrl: string | null },
  reply: FastifyReply,
  path: string,
): string {
  return publicUrl === null ? toPublicPath(reply, path) : publicUrl.replace(/\/+$/, '') + path;
}
