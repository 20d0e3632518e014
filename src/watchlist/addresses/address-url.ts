import type { FastifyReply } from 'fastify';
import { toPublicPath } from '../../platform/http/request.js';

/** Where people outside open the path; without an address that they can reach, the path alone. */
export function toAddressUrl(
  { publicUrl }: { readonly publicUrl: string | null },
  reply: FastifyReply,
  path: string,
): string {
  return publicUrl === null ? toPublicPath(reply, path) : publicUrl.replace(/\/+$/, '') + path;
}
