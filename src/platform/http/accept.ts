import type { FastifyRequest } from 'fastify';

/** Whether the caller names this media type in `Accept`; that it takes anything is no wish for this one. */
export function accepts({ headers }: FastifyRequest, mediaType: string): boolean {
  const ranges = (headers.accept ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return type === mediaType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
