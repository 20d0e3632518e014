import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemFor } from './problem.js';

/** Everything thrown on the way to an answer leaves through here, as one shape. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = problemFor(error, {
      path: pathOf(request.url),
      requestId: request.id,
      input: request.method === 'GET' || request.method === 'HEAD' ? 'query' : 'body',
    });
    if (problem.unexpected) this.log.error({ err: error, requestId: request.id }, 'a request failed unexpectedly');
    if (reply.sent) return;
    void reply
      .status(problem.status)
      .headers(problem.headers)
      .header('content-type', 'application/problem+json')
      .send(JSON.stringify(problem.body));
  }
}

/** Without the query: it may hold what people typed. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
