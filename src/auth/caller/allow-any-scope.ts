import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { RouteAccess } from '../../platform/http/route-access.js';
import { RejectUnknownQuery } from '../../platform/http/validation/reject-unknown-query.js';

/** Any valid key may call this route, whatever its scopes. */
export function AllowAnyScope(): MethodDecorator {
  return applyDecorators(
    RouteConfig({ anyScope: true } satisfies RouteAccess),
    ApiBearerAuth('key'),
    RejectUnknownQuery(),
  );
}
