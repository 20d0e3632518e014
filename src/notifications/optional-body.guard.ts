import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Treats a missing body as `{}`. Use this guard where every field has a default. */
@Injectable()
export class OptionalBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (request.body === undefined) request.body = {}; // keeps `null`, which validation refuses
    return true;
  }
}
