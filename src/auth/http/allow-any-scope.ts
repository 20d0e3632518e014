import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { RejectUnknownQuery } from '../../platform/http/validation/reject-unknown-query.js';

/** Answers to every key that is good, whatever it may do. */
export function AllowAnyScope(): MethodDecorator {
  return applyDecorators(
    RouteConfig({ anyScope: true } satisfies RouteAccess),
    ApiBearerAuth('key'),
    RejectUnknownQuery(),
  );
}
