import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { placeOf } from './upload-slots.js';
import type { FileBody, RouteAccess } from '../route-access.js';

class KeepsItsPlace implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const place = placeOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (!place) throw new Error('a file was taken without a place');
    return from(place.during<unknown>(() => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}

/**
 * Takes a file of these media types instead of JSON, a few at a time. It adds to what the decorators below it say of the
 * route.
 */
export function TakesFile(file: FileBody): MethodDecorator {
  return (target, property, descriptor) => {
    const said = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as RouteAccess;
    RouteConfig({ ...said, file } satisfies RouteAccess)(target, property, descriptor);
    UseInterceptors(KeepsItsPlace)(target, property, descriptor);
  };
}
