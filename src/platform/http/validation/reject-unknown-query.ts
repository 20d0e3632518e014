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
import { unknownFields } from './strict-validation.pipe.js';

/** Prefix of Nest's metadata of a query argument. */
const QUERY = `${RouteParamtypes.QUERY}:`;
const NONE: ReadonlySet<string> = new Set();

/** Runs after the guards, which check ids, and before the handler. */
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
 * Rejects every query parameter on routes without a query DTO; elsewhere the DTO validates, which spares hot routes an
 * interceptor. Public routes are exempt: probes and mail programs add parameters.
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
