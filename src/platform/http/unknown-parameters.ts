import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { InvalidRequest } from './invalid-request.js';
import type { RouteAccess } from './public.js';
import { unknownFields } from './unknown-fields.js';

/** Begins what Nest notes of an argument that is the query. */
const QUERY = `${RouteParamtypes.QUERY}:`;
const NONE: ReadonlySet<string> = new Set();

/**
 * Refuses any query where the route takes none; elsewhere its DTO judges. It runs after the guards, which judge ids,
 * and before the route does anything. Public routes are left alone: probes and mail programs add parameters of theirs.
 */
@Injectable()
export class UnknownParameters implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const { public: isPublic } = routeOptions.config as RouteAccess;
    const unknown = isPublic === true ? [] : unknownFields(query as object, NONE, '#query');
    if (unknown.length > 0 && !takesQuery(context)) throw InvalidRequest.of(unknown);
    return next.handle();
  }
}

function takesQuery(context: ExecutionContext): boolean {
  const noted: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return Object.keys(noted ?? {}).some((argument) => argument.startsWith(QUERY));
}
