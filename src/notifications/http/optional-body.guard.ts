import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** No body is the body with no fields, where every field has a default. */
@Injectable()
export class OptionalBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === undefined) request.body = {}; // null is a body, and no object
    return true;
  }
}
