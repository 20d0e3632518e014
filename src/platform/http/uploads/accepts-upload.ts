import { type CallHandler, type ExecutionContext, type NestInterceptor, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { getUploadSlot } from './upload-slots.js';
import type { UploadOptions, RouteAccess } from '../route-access.js';

class UploadSlotInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const slot = getUploadSlot(context.switchToHttp().getRequest<FastifyRequest>());
    if (!slot) throw new Error('an upload has no slot');
    return from(slot.run<unknown>(() => lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}

/**
 * Accepts an upload of these media types instead of JSON. Adds to the route configuration of the decorators below it.
 */
export function AcceptsUpload(upload: UploadOptions): MethodDecorator {
  return (target, property, descriptor) => {
    const access = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as RouteAccess;
    RouteConfig({ ...access, upload } satisfies RouteAccess)(target, property, descriptor);
    UseInterceptors(UploadSlotInterceptor)(target, property, descriptor);
  };
}
