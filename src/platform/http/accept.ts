import type { FastifyRequest } from 'fastify';

/** Whether `Accept` names this media type; a wildcard does not count. */
export function accepts({ headers }: FastifyRequest, mediaType: string): boolean {
  const ranges = (headers.accept ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return type === mediaType && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
