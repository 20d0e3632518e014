import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { InvalidRequest } from '../errors/invalid-request.js';
import { unknownFields } from './unknown-fields.js';

/** Begins what Nest notes of an argument that is the query. */
const QUERY = `${RouteParamtypes.QUERY}:`;
const NONE: ReadonlySet<string> = new Set();

/** It runs after the guards, which judge ids, and before the route does anything. */
@Injectable()
class RejectQueryInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { query } = context.switchToHttp().getRequest<FastifyRequest>();
    const unknown = unknownFields(query as object, NONE, '#query');
    if (unknown.length > 0) throw InvalidRequest.of(unknown);
    return next.handle();
  }
}

/**
 * Refuses any query where the route takes none; elsewhere its DTO judges, and the route, which may be a hot one, is
 * spared an interceptor. Public routes are left alone: probes and mail programs add parameters of theirs.
 */
export function RejectUnknownQuery(): MethodDecorator {
  return (target, property, descriptor) => {
    if (!hasQueryDto(target.constructor, property))
      UseInterceptors(RejectQueryInterceptor)(target, property, descriptor);
  };
}

function hasQueryDto(controller: object, handler: string | symbol): boolean {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler);
  return Object.keys(metadata ?? {}).some((argument) => argument.startsWith(QUERY));
}
